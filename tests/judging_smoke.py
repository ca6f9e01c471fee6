"""See that an installed poolwise opens its judging room: ``python tests/judging_smoke.py``.

Needs nothing but the wheel and what its extra ``judging`` brings: it makes the demo, serves it, and
judges a document as a page would, with every file that the page asks for.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

POOLWISE = (sys.executable, "-m", "poolwise")
ASSETS = re.compile(rb'(?:src|href)="(assets/[^"]+)"')


class Page:
    """Somebody with a browser, as far as a room can tell."""

    def __init__(self, link: str) -> None:
        self.place, self.cookie = urlsplit(link), ""
        reply = self.asked("/api/enter", {"token": self.place.fragment})
        self.home = json.loads(reply)["to"]

    def asked(self, path: str, body: object = None) -> bytes:
        """Get a page or a file, or send JSON, and return what comes back."""
        line = HTTPConnection(self.place.hostname or "", self.place.port, timeout=20)
        headers = {"Content-Type": "application/json", "Cookie": self.cookie,
                   "Origin": f"http://{self.place.netloc}"}  # fmt: skip
        sent = None if body is None else json.dumps(body).encode()
        line.request("GET" if body is None else "POST", path, sent, headers)
        answer = line.getresponse()
        content = answer.read()
        assert answer.status == 200, (path, answer.status, content[:200])
        self.cookie = (answer.headers["Set-Cookie"] or self.cookie).partition(";")[0]
        line.close()
        return content

    def open(self) -> list[str]:
        """Open the page with all its files, and return their names."""
        files = [name.decode() for name in ASSETS.findall(self.asked(f"/{self.home}"))]
        assert all(len(self.asked(f"/{name}")) > 100 for name in files)
        return files


def judged(page: Page) -> bool:
    """Judge one document, as soon as one is chosen."""
    reply = {"work": []}
    while not reply["work"]:
        reply = json.loads(page.asked("/api/work", {"count": 1, "have": []}))
        time.sleep(0.1)
    (work,) = reply["work"]
    answer = {"client_id": "smoke-0001", "lease": work["lease"], "kind": "grade", "grade": 1,
              "note": "", "shown_at": "", "active_ms": 900, "replaces": None}  # fmt: skip
    said = json.loads(page.asked("/api/answers", {"answers": [answer]}))
    return bool(said["answers"][0]["status"] == "saved")


def main() -> None:
    """Make the demo, serve it, and judge."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        room = f"{folder}/room"
        subprocess.run([*POOLWISE, "campaign", "demo", room], check=True)  # noqa: S603 -- ours
        serve = [*POOLWISE, "campaign", "serve", room, "--port", "0"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
            assert server.stdout is not None
            lines = [server.stdout.readline() for _ in range(4)]
            organiser, assessor = (Page(line.split()[-1]) for line in lines[2:])
            files = {*assessor.open(), *organiser.open()}
            assert {name.rpartition(".")[2] for name in files} >= {"js", "css"}
            assert judged(assessor)
            server.send_signal(signal.SIGINT)
        ran = [*POOLWISE, "campaign", "export", room, "--format", "json"]
        exported = subprocess.run(ran, check=True, capture_output=True, text=True).stdout  # noqa: S603
        assert json.loads(exported)["rows"][0]["documents"] == 1
    seconds = time.monotonic() - started
    print(f"the judging room opens here, with {len(files)} files, in {seconds:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
