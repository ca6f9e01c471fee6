"""``poolwise campaign serve``: links are printed, and one server has the folder."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from tests.server.rooms import Client, campaign, served

from poolwise.errors import OptionError
from poolwise.server._address import Address
from poolwise.workflows.campaigns._room import CampaignRoom

SERVE = (sys.executable, "-m", "poolwise", "campaign", "serve")
LINK = re.compile(r"  (.+?) +http://127\.0\.0\.1:(\d+)/enter#([\w-]{32})$", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a campaign."""
    return campaign(tmp_path_factory.mktemp("serve"), documents=12)


@contextmanager
def running(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server, and return what it prints before people come."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([*SERVE, *words], text=True, **pipes)  # noqa: S603 -- our own words
    try:
        assert process.stdout is not None
        said = ""
        while "Ctrl+C" not in said:
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            said += line
        yield process, said
    finally:
        process.kill()
        process.communicate()


def refused(*words: str) -> str:
    """Return what a server says that cannot start."""
    ran = subprocess.run([*SERVE, *words], capture_output=True, text=True, check=False)  # noqa: S603 -- as above
    assert ran.returncode == 3
    return ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_links_open_the_room_and_one_server_has_it(folder: Path) -> None:
    """Links for whom they were asked; a second server is refused; Ctrl+C is a good end."""
    words = (str(folder), "--port", "0", "--assessor", "Ann,Ben")
    with running(*words) as (process, said):
        links = {name: (port, token) for name, port, token in LINK.findall(said)}
        assert list(links) == ["organiser", "Ann", "Ben"]
        for name, home in (("organiser", "organise"), ("Ben", "judge")):
            port, token = links[name]
            client = Client(Address("127.0.0.1", int(port)))
            assert client.post("/api/enter", {"token": token})[1] == {"to": home}
        assert "open elsewhere already" in refused(str(folder), "--port", "0")
        assert "choose another port" in refused(str(folder), "--port", port)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    assert not list(folder.glob("*-wal"))  # all is in the one file again


def test_tokens_are_kept_as_hashes_alone(folder: Path) -> None:
    """Whoever reads the folder can enter nowhere."""
    with CampaignRoom(folder) as room:
        token = room.invite("Zoe")
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert token.encode() not in kept


def test_an_address_beyond_this_machine_is_warned_of() -> None:
    """And one that is everywhere needs a name, or any site could speak for it."""
    assert Address("127.0.0.1", 8765).warnings() == ()
    assert "unencrypted" in Address("192.168.1.5", 8765).warnings()[0]
    behind = Address("0.0.0.0", 8765, "https://judge.example.org/a/")  # noqa: S104 -- the subject
    assert "unencrypted" not in behind.warnings()[0]
    with pytest.raises(OptionError, match="--public-url"):
        Address("0.0.0.0", 8765)  # noqa: S104 -- as above
    for url in (
        "judge.example.org",
        "ftp://a.org",
        "https://",
        "https://a.org/?x",
        "https://a.org/#x",
    ):
        with pytest.raises(OptionError, match="public_url: must be an address"):
            Address("127.0.0.1", 8765, url)


def test_behind_a_proxy_the_public_name_counts(folder: Path) -> None:
    """Its Host and Origin are taken, others are not; cookies are for https and for its path."""
    with served(folder, "https://judge.example.org/dl19") as made:
        link = made.link("Ann")
        assert link.startswith("https://judge.example.org/dl19/enter#")
        content, client = {"token": made.tokens["Ann"]}, Client(made.address)
        proxied = {"Host": "judge.example.org", "Origin": "https://judge.example.org"}
        status, _, headers = client.post("/api/enter", content, **proxied)
        assert status == 200
        assert {"Secure", "Path=/dl19/"} <= set(headers["Set-Cookie"].split("; "))
        origin = f"http://127.0.0.1:{made.address.port}"
        assert client.post("/api/enter", content, **proxied | {"Origin": origin})[0] == 403
        assert client.get("/enter", Host="evil.example")[0] == 421
