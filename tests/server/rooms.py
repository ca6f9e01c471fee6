"""Small campaigns, served: what the tests of pages and of attacks ask."""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from poolwise.server._address import Address
from poolwise.server._app import make_app
from poolwise.server._serving import listening, uvicorn_server
from poolwise.workflows.campaigns._making import (
    add_documents,
    add_runs,
    add_topics,
    make_campaign,
)
from poolwise.workflows.campaigns._room import CampaignRoom

HOSTILE = "<script>window.broken=1</script><img/src=x/onerror='window.broken=2'>"
"""What must stay text wherever it is shown."""
SCRIPTED = (
    "<h1>Owls</h1><script>window.broken = 3; parent.broken = 3</script>"
    "<meta http-equiv=refresh content='0;url=http://evil.example/'>"
    "<base href='http://evil.example/'><link rel=stylesheet href='http://evil.example/x.css'>"
    "<p onclick='x()' style='position:fixed'>They hoot <a href='http://evil.example/'>here</a>."
    "<img src='http://evil.example/x.png' onerror='parent.broken = 4'>"
    "<form action='http://evil.example/'><button>Go</button></form><iframe src='/judge'></iframe>"
)
"""A document that is HTML, and would act if it could."""
TOPIC = f"t1{HOSTILE}"


def _name(number: int) -> str:
    return f"../../d{number}{HOSTILE}"


def campaign(
    folder: Path,
    *,
    documents: int = 40,
    html: bool = False,
    equal: bool = False,
    both: bool = False,
    practice: bool = False,
) -> Path:
    """Make a campaign with a topic of so many documents, two runs, and hostile words everywhere."""
    made = folder / "campaign"
    make_campaign(
        made,
        name=f"Owls & {HOSTILE}",
        grades=(0, 1, 2),
        measures=["nDCG@10"],
        batch=max(30, documents),
    )
    place = made / "campaign.toml"
    defaults = {
        "judged_twice = 0.1": "judged_twice = 0.0",
        "random_share = 0.2": "random_share = 0",
    }
    defaults |= {"depth = 10": f"depth = {documents}"}
    defaults |= {"assessors_per_document = 1": f"assessors_per_document = {1 + both}"}
    text = place.read_text()
    for old, new in defaults.items():
        assert old in text
        text = text.replace(old, new)
    if practice:
        text += (
            f"\n[[practice]]\ntopic = {json.dumps(TOPIC)}\ndocument = {json.dumps(_name(3))}\n"
            f"grade = 2\nwhy = {json.dumps(f'It says all. {HOSTILE}')}\n"
        )
    place.write_text(text)
    (made / "guidelines.md").write_text(
        f"# How to judge\n\nRead *all* of it. {HOSTILE}\n\n- one\n- two"
    )
    names = [_name(number) for number in range(documents)]
    texts = [
        {"_id": name, "title": f"Title {at} {HOSTILE}", "text": f"Text {at} on owls. {HOSTILE}"}
        for at, name in enumerate(names)
    ]
    if html:
        texts = [
            document | {"text": f"{SCRIPTED} {at}", "html": True}
            for at, document in enumerate(texts)
        ]
    if equal:
        texts = [
            document | {"title": "Title 0", "text": f"Owls {' ' * at}hoot."}
            for at, document in enumerate(texts)
        ]
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(document) + "\n" for document in texts))
    topic = {"id": TOPIC, "query": f"habitat of owls {HOSTILE}", "description": HOSTILE,
             "narrative": f"What is said of owls counts. {HOSTILE}"}  # fmt: skip
    (folder / "topics.jsonl").write_text(json.dumps(topic) + "\n")
    add_topics(made, folder / "topics.jsonl")
    add_documents(made, corpus)
    half = len(names) // 2
    ranked = {"up": names, "down": [*names[half:], *names[:half]]}
    runs = {
        run: {topic["id"]: {name: float(-at) for at, name in enumerate(order)}}
        for run, order in ranked.items()
    }
    add_runs(made, runs)
    return made


@dataclass
class Served:
    """A campaign that is being served, and a clock that can be turned on."""

    room: CampaignRoom
    address: Address
    later: float = 0.0
    server: Any = None
    tokens: dict[str, str] = field(default_factory=dict)

    def clock(self) -> float:
        """Tell the time of the room."""
        return time.time() + self.later

    def link(self, name: str, kind: str = "assessor") -> str:
        """Return a personal link, the same for the same name."""
        if name not in self.tokens:
            self.tokens[name] = self.room.invite(name, kind)
        return self.address.link(self.tokens[name])

    def person(self, name: str, kind: str = "assessor") -> "Client":
        """Return somebody who has followed a personal link."""
        self.link(name, kind)
        client = Client(self.address)
        status, _, headers = client.post("/api/enter", {"token": self.tokens[name]})
        assert status == 200
        client.cookie = headers["Set-Cookie"].partition(";")[0]
        return client


@dataclass
class Client:
    """Somebody who talks HTTP by hand, as a browser would, or as none would."""

    address: Address
    cookie: str = ""

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes, Any]:
        """Send one request, and return status, body and headers."""
        connection = http.client.HTTPConnection(self.address.host, self.address.port, timeout=20)
        sent = {"Host": f"{self.address.host}:{self.address.port}"}
        sent |= {"Cookie": self.cookie} if self.cookie else {}
        try:
            connection.request(method, path, body, sent | dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> tuple[int, bytes, Any]:
        """Ask for a page."""
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, content: Any, **headers: str) -> tuple[int, Any, Any]:
        """Send JSON as our pages do."""
        sent = {"Content-Type": "application/json", "Origin": self.address.url.rstrip("/")}
        extra = {name.replace("_", "-"): value for name, value in headers.items()}
        status, body, received = self.ask("POST", path, json.dumps(content).encode(), sent | extra)
        return status, json.loads(body), received

    def work(self, count: int = 3) -> list[dict[str, Any]]:
        """Get documents to judge, with patience until they are chosen."""
        for _ in range(100):
            _, reply, _ = self.post("/api/work", {"count": count, "have": []})
            if reply["state"] != "preparing":
                return list(reply["work"])
            time.sleep(0.05)
        raise AssertionError(reply)

    def answer(
        self, lease: int, grade: float | None, client_id: str, **more: Any
    ) -> dict[str, Any]:
        """Answer for one document."""
        answer = {"client_id": client_id, "lease": lease, "kind": "grade", "grade": grade,
                "note": "", "shown_at": "", "active_ms": 900, "replaces": None} | more  # fmt: skip
        _, said, _ = self.post("/api/answers", {"answers": [answer]})
        return dict(said["answers"][0])


@contextmanager
def served(folder: Path, public_url: str = "") -> Iterator[Served]:
    """Serve a campaign at a free port of this machine."""
    with listening("127.0.0.1", 0) as listener:
        made = Served(None, Address("127.0.0.1", listener.getsockname()[1], public_url))  # type: ignore[arg-type] # below
        with CampaignRoom(folder, clock=made.clock) as made.room:
            made.server = uvicorn_server(make_app(made.room, made.address))
            thread = threading.Thread(target=made.server.run, kwargs={"sockets": [listener]})
            thread.start()
            try:
                yield made
            finally:
                made.server.should_exit = True
                thread.join()
