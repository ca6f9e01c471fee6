"""The judging room over HTTP: 50 people who judge at once, among 20,000 documents.

Each does as the page of an assessor does: eight documents are fetched ahead, more when four are
left, and each answer is sent by itself and acknowledged when it is on the disk. The server is a
process of its own.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.workflows.campaigns._making import add_documents, add_runs, add_topics, make_campaign

TOPICS, DEPTH, RUNS = 100, 100, 4
PEOPLE, SECONDS, PAUSE = 50, 30.0, 0.5
AHEAD, FEWEST = 8, 4
_SERVER = """
import json, sys
from poolwise.server import serve

def ready(name, address, links):
    print(json.dumps({"port": address.port, "links": links}), flush=True)

names = [f"assessor {number}" for number in range(int(sys.argv[2]))]
serve(sys.argv[1], port=0, assessors=names, ready=ready)
"""


def collection(folder: Path) -> Path:
    """Make a campaign of 100 topics with 200 documents each, which four runs return."""
    made, rng = folder / "campaign", np.random.default_rng(1)
    make_campaign(made, name="bench", depth=DEPTH, batch=1000, goal="relevant")
    topics = [f"t{number}" for number in range(TOPICS)]
    (folder / "topics.tsv").write_text("".join(f"{t}\tthe words of {t}\n" for t in topics))
    (folder / "corpus.jsonl").write_text("".join(_documents(topics)))
    add_topics(made, folder / "topics.tsv")
    print(f"{add_documents(made, folder / 'corpus.jsonl'):,} documents")
    add_runs(
        made,
        {
            f"run{run}": {
                topic: {
                    f"{topic}-{document}": float(DEPTH - rank)
                    for rank, document in enumerate(rng.permutation(2 * DEPTH)[:DEPTH].tolist())
                }
                for topic in topics
            }
            for run in range(RUNS)
        },
    )
    return made


def _documents(topics: list[str]) -> Iterator[str]:
    for topic in topics:
        for number in range(2 * DEPTH):
            text = f"Document {number} says something of {topic}. " * 40
            yield json.dumps({"_id": f"{topic}-{number}", "text": text}) + "\n"


class Person:
    """An assessor, as the page has one: a connection, a cookie, and documents ahead."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token, self._cookie = port, token, ""
        self._work: list[int] = []
        self.answers: list[float] = []
        self.choices: list[float] = []

    async def judge(self, until: float, number: int) -> None:
        """Judge until the time is over."""
        self._in, self._out = await asyncio.open_connection("127.0.0.1", self._port)
        await self._ask("enter", {"token": self._token})
        rng = np.random.default_rng(number)
        while time.perf_counter() < until:
            if len(self._work) < FEWEST:
                self.choices.append(await self._more())
            await asyncio.sleep(float(rng.uniform(0.5, 1.5)) * PAUSE)
            if self._work:
                self.answers.append(await self._answer(number))
        self._out.close()

    async def _more(self) -> float:
        started = time.perf_counter()
        work = await self._ask("work", {"count": AHEAD, "have": self._work})
        self._work = [item["lease"] for item in work["work"]]
        return time.perf_counter() - started

    async def _answer(self, number: int) -> float:
        lease = self._work.pop(0)
        answer = {"client_id": f"client-{number}-{lease}", "lease": lease, "kind": "grade",
                "grade": lease % 4, "note": "", "shown_at": "", "active_ms": 500,
                "replaces": None}  # fmt: skip
        started = time.perf_counter()
        said = await self._ask("answers", {"answers": [answer]})
        if said["answers"][0]["status"] != "saved":
            raise RuntimeError(said)
        return time.perf_counter() - started

    async def _ask(self, path: str, content: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps(content).encode()
        origin = f"127.0.0.1:{self._port}"
        head = (
            f"POST /api/{path} HTTP/1.1\r\nHost: {origin}\r\nOrigin: http://{origin}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            f"Cookie: {self._cookie}\r\n\r\n"
        )
        self._out.write(head.encode() + body)
        answer = (await self._in.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (h.partition(": ") for h in answer)}
        self._cookie = headers.get("set-cookie", self._cookie).partition(";")[0]
        reply = json.loads(await self._in.readexactly(int(headers["content-length"])))
        if " 200 " not in answer[0]:
            raise RuntimeError(reply)
        return dict(reply)


async def _judge(people: list[Person]) -> None:
    until = time.perf_counter() + SECONDS
    await asyncio.gather(*(person.judge(until, number) for number, person in enumerate(people)))


def _line(name: str, seconds: list[float]) -> str:
    ms = 1000 * np.quantile(seconds, [0.5, 0.9, 0.99, 1])
    shares = "  ".join(f"{share} {time:6.1f} ms" for share, time in
                       zip(("half", "90%", "99%", "all"), ms, strict=True))  # fmt: skip
    return f"{name:10} {len(seconds):6,}  within: {shares}"


def main() -> None:
    """Let 50 people judge for half a minute, and print how long answers took."""
    with tempfile.TemporaryDirectory() as folder:
        made = collection(Path(folder))
        words = [sys.executable, "-c", _SERVER, str(made), str(PEOPLE)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            try:
                served = json.loads(next(iter(server.stdout or ())))
                tokens = [link.partition("#")[2] for name, link in served["links"].items()
                          if name != "organiser"]  # fmt: skip
                people = [Person(served["port"], token) for token in tokens]
                asyncio.run(_judge(people))
            finally:
                server.terminate()
    answers = [answer for person in people for answer in person.answers]
    choices = [choice for person in people for choice in person.choices]
    print(f"{PEOPLE} people, an answer each {PAUSE:g} s, for {SECONDS:g} s over HTTP")
    print(_line("answers", answers))
    print(_line("documents", choices))


if __name__ == "__main__":
    main()
