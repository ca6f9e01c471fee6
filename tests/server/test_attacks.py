"""Attacks on the judging room, tried and refused."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.server.rooms import HOSTILE, Client, Served, campaign, served

pytest.importorskip("starlette")

WORK = {"count": 3, "have": []}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a campaign."""
    with served(campaign(tmp_path_factory.mktemp("room"))) as made:
        yield made


def test_without_a_link_nothing_is_told(room: Served) -> None:
    """Every page and every request but the entrance and its style asks who it is."""
    stranger = Client(room.address)
    for path in ("/judge", "/organise", "/api/organise/parts", "/api/frame/1"):
        status, body, _ = stranger.get(path)
        assert status == 401
        assert b"owls" not in body.lower()
    for path in ("work", "answers", "last", "organise/pause", "organise/invite", "organise/export",
                 "organise/adjudicate", "organise/text", "organise/retire"):  # fmt: skip
        assert stranger.post(f"/api/{path}", {})[0] == 401


@pytest.mark.parametrize("token", ["", "x", "A" * 32, "A" * 100_000, "\u00e9", None, 7, {"a": 1}])
def test_a_forged_token_opens_nothing(room: Served, token: object) -> None:
    """Whatever is sent in its place, of whatever kind and length."""
    status, _, headers = Client(room.address).post("/api/enter", {"token": token})
    assert status in (401, 413)
    assert "Set-Cookie" not in headers


def test_a_token_that_was_ended_opens_nothing_any_more(room: Served) -> None:
    """A link that is used again after its end is refused, and so is a page that is open."""
    eve = room.person("Eve")
    assert eve.post("/api/work", WORK)[0] == 200
    room.room.retire("Eve", by="organiser")
    assert eve.post("/api/work", WORK)[0] == 401
    status, said, _ = Client(room.address).post("/api/enter", {"token": room.tokens["Eve"]})
    assert (status, "not valid" in said["error"]) == (401, True)


def test_tokens_of_one_kind_do_not_open_the_other(room: Served) -> None:
    """An assessor's token under the organiser's name of the cookie is refused, and vice versa."""
    ann, boss = room.person("Ann"), room.person("boss", "organiser")
    ann_name, _, ann_token = ann.cookie.partition("=")
    boss_name, _, boss_token = boss.cookie.partition("=")
    ann.cookie, boss.cookie = f"{boss_name}={ann_token}", f"{ann_name}={boss_token}"
    assert ann.get("/organise")[0] == 401
    assert ann.post("/api/organise/pause", {"paused": True})[0] == 401
    assert boss.get("/judge")[0] == 401
    assert boss.post("/api/work", WORK)[0] == 401
    assert not room.room.paused


def test_nobody_answers_for_another(room: Served) -> None:
    """Neither a lease nor an answer of somebody else can be used."""
    ann, ben = room.person("Ann"), room.person("Ben")
    (mine, *_), (theirs, *_) = ann.work(), ben.work()
    assert mine["lease"] != theirs["lease"]
    taken = ann.answer(theirs["lease"], 2, "attack-0001")
    assert (taken["status"], taken["judgment"]) == ("refused", None)
    saved = ben.answer(theirs["lease"], 1, "honest-0001")
    assert saved["status"] == "saved"
    for kind, grade in (("withdrawn", None), ("grade", 0)):
        changed = ann.answer(theirs["lease"], grade, f"attack-{kind}", kind=kind,
                             replaces=saved["judgment"])  # fmt: skip
        assert changed["status"] == "refused"
    # the id of another's answer, used again
    assert ann.answer(mine["lease"], 0, "honest-0001")["status"] == "refused"
    (stands,) = room.room.history("Ben")
    assert (stands.grade, stands.kind) == (1, "grade")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1",
                                  "127.0.0.1:{port}.evil.example", ""])  # fmt: skip
def test_another_name_of_the_server_is_refused(room: Served, host: str) -> None:
    """A site whose DNS points here, which a browser would trust, gets nothing (DNS rebinding)."""
    ann = room.person("Ann")
    status, body, _ = ann.get("/judge", Host=host.format(port=room.address.port))
    assert status in (400, 421)
    assert b"habitat" not in body


def test_two_names_at_once_are_refused(room: Served) -> None:
    """Proxies and servers may each believe another one."""
    port = room.address.port
    with socket.create_connection((room.address.host, port)) as line:
        line.sendall(f"GET /enter HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n"
                     "Connection: close\r\n\r\n".encode())  # fmt: skip
        answer = line.recv(4096)
    assert answer.split()[1] in (b"400", b"421")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1",
                                    "https://127.0.0.1:{port}"])  # fmt: skip
def test_a_request_from_another_page_is_refused(room: Served, origin: str) -> None:
    """Also with the cookie, which a browser would not send along."""
    ann = room.person("Ann")
    status, _, _ = ann.post("/api/work", WORK, Origin=origin.format(port=room.address.port))
    assert status == 403


def test_what_another_site_embeds_is_refused(room: Served) -> None:
    """Pictures, scripts and frames of others; a link from there leads in."""
    ann = room.person("Ann")
    embedded = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "no-cors",
        "Sec-Fetch-Dest": "image",
    }
    assert ann.get("/judge", **embedded)[0] == 403
    framed = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "iframe",
    }
    assert ann.get("/judge", **framed)[0] == 403
    followed = framed | {"Sec-Fetch-Dest": "document"}
    assert ann.get("/enter", **followed)[0] == 200


KINDS = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    "application/jsonx",
)
"""Content types that a form of another site can send, and near misses."""


@pytest.mark.parametrize("kind", KINDS)
def test_only_json_is_taken(room: Served, kind: str) -> None:
    """A form of another site can send the others without asking first."""
    assert room.person("Ann").post("/api/work", WORK, Content_Type=kind)[0] == 415


BODIES = (
    b"",
    b"[]",
    b"{",
    b'"x"',
    b"\xff",
    b"null",
    b"[" * 60_000,
    b"{}",
    b'{"count": true, "have": []}',
    b'{"count": 1, "have": {}}',
)
"""What is no JSON, or none that our pages send."""


@pytest.mark.parametrize("body", BODIES)
def test_broken_bodies_are_refused_with_a_sentence(room: Served, body: bytes) -> None:
    """Each with a status of the 400s, never with a fault of ours."""
    ann = room.person("Ann")
    sent = {"Content-Type": "application/json", "Origin": room.address.url.rstrip("/")}
    status, said, _ = ann.ask("POST", "/api/work", body, sent)
    assert status == 400
    assert json.loads(said)["error"]


def test_oversized_bodies_are_refused(room: Served) -> None:
    """By what they say of their length, and by what comes where they say nothing."""
    ann = room.person("Ann")
    assert ann.post("/api/answers", {"answers": ["x" * 100_000]})[0] == 413
    head = (f"POST /api/answers HTTP/1.1\r\nHost: 127.0.0.1:{room.address.port}\r\n"
            f"Cookie: {ann.cookie}\r\nOrigin: {room.address.url.rstrip('/')}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")  # fmt: skip
    with socket.create_connection((room.address.host, room.address.port), timeout=10) as line:
        line.sendall(head.encode())
        for _ in range(3):
            line.sendall(b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
        assert line.recv(4096).split()[1] == b"413"


def test_long_notes_many_answers_and_long_addresses_are_refused(room: Served) -> None:
    """Each has a length that no page of ours exceeds."""
    ann = room.person("Ann")
    (item, *_) = ann.work()
    assert ann.answer(item["lease"], 1, "long-note-1", note="x" * 10_000)["status"] == "refused"
    assert ann.answer(item["lease"], 17, "wrong-grade")["status"] == "refused"
    assert ann.answer(item["lease"], 1, "short")["status"] == "refused"
    assert ann.answer(item["lease"], 1, "a-kind-more", kind="judged")["status"] == "refused"
    wide = [{"client_id": f"client-{n:04}", "lease": 1, "kind": "skip", "grade": None, "note": "",
             "shown_at": "", "active_ms": None, "replaces": None} for n in range(300)]  # fmt: skip
    assert ann.post("/api/answers", {"answers": wide})[0] == 413
    assert ann.post("/api/answers", {"answers": [wide[0] | {"assessor": "Ben"}]})[0] == 400
    assert ann.get("/" + "x" * 5000)[0] in (400, 414)


def test_thousands_of_leases_are_not_handed_out(room: Served) -> None:
    """Nobody can keep documents from all others, however many are asked for, and how often."""
    eve = room.person("Eva")
    for count in (1_000_000, 10, 5000):
        assert len(eve.work(count)) <= 10
    assert room.room.progress("Eva").held <= 10


def test_too_many_requests_are_refused_for_a_while(tmp_path: Path) -> None:
    """Of one person, and of a stranger who guesses; others are served meanwhile."""
    with served(campaign(tmp_path, documents=12)) as made:
        ann, ben = made.person("Ann"), made.person("Ben")
        assert 429 in {ann.get("/judge")[0] for _ in range(400)}
        stranger = Client(made.address)
        statuses = [stranger.post("/api/enter", {"token": "A" * 32})[0] for _ in range(90)]
        assert (statuses[0], statuses[-1]) == (401, 429)
        assert ben.get("/judge")[0] == 200


PATHS = (
    "/assets/../../pyproject.toml",
    "/assets/..%2f..%2fsite.css",
    "/assets/%2e%2e/judge.js",
    "/api/frame/..%2f..%2fetc%2fpasswd",
    "/api/frame/-1",
    "/api/frame/99999999999999999999",
    "/assets/judge.html",
    "/api/frame/1%00",
    "//etc/passwd",
)
"""Ways out of where files and documents are."""


@pytest.mark.parametrize("path", PATHS)
def test_paths_lead_to_nothing_else(room: Served, path: str) -> None:
    """Documents are found by what was handed out, and files by a list of five."""
    assert room.person("Ann").get(path)[0] == 404


def test_every_answer_has_its_headers(room: Served) -> None:
    """Pages, scripts, JSON and refusals alike."""
    ann, boss = room.person("Ann"), room.person("boss", "organiser")
    responses = [ann.get("/judge"), ann.get("/assets/judge.js"), ann.post("/api/work", WORK),
             boss.get("/organise"), boss.get("/api/organise/parts"), ann.get("/nothing"),
             ann.get("/enter"), ann.get("/judge", Host="evil.example"),
             ann.get("/organise")]  # fmt: skip
    for _, _, headers in responses:
        policy = dict(
            rule.partition(" ")[::2] for rule in headers["Content-Security-Policy"].split("; ")
        )
        assert (policy["default-src"], policy["frame-ancestors"]) == ("'none'", "'none'")
        assert "unsafe" not in policy.get("script-src", "") + policy.get("style-src", "")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Server"] is None or "uvicorn" not in headers["Server"]


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(room: Served) -> None:
    """HttpOnly and SameSite=Strict; by https alone behind a proxy that speaks it."""
    room.link("Ann")
    client = Client(room.address)
    _, _, headers = client.post("/api/enter", {"token": room.tokens["Ann"]})
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=strict" in headers["Set-Cookie"]
    assert "#" in room.link("Ann")  # which no browser sends to anybody, as Referer neither


def test_names_and_texts_stay_text_in_what_is_sent(room: Served) -> None:
    """No page has a script of theirs; what comes as JSON is JSON."""
    ann, boss = room.person("Ann"), room.person("boss", "organiser")
    for page in (ann.get("/judge"), boss.get("/organise")):
        assert HOSTILE.encode() not in page[1]
        assert b"<script>window" not in page[1]
        assert b"<img" not in page[1]


def test_an_assessor_is_told_no_rank_run_score_or_id(room: Served) -> None:
    """What comes is what is shown: query and text, how many copies, and how long it is kept."""
    (item, *_) = room.person("Ann").work()
    assert set(item) == {"lease", "seconds", "query", "description", "narrative", "title", "text",
                        "html", "copies", "practice"}  # fmt: skip
    sent = json.dumps(item)
    assert "../../d" not in sent
    assert '"up"' not in sent


def test_a_second_server_on_the_folder_is_refused(room: Served) -> None:
    """Two that write would hand out the same documents."""
    from poolwise.errors import OutputError
    from poolwise.workflows.campaigns._room import CampaignRoom

    with pytest.raises(OutputError, match="open elsewhere already"):
        CampaignRoom(room.room.folder.path)


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\u202e", "\U0001f989" * 900])
def test_odd_characters_do_not_end_the_journal(room: Served, text: str) -> None:
    """Half a character in a note is refused or kept, and others are saved after it."""
    ann = room.person("Ann")
    first, second, *_ = ann.work(4)
    reply = ann.answer(first["lease"], 1, f"odd-{first['lease']:06}", note=text)
    assert reply["status"] in ("saved", "refused")
    after = ann.answer(second["lease"], 1, f"odd-{second['lease']:06}", shown_at=text)
    assert after["status"] == "refused"
    assert ann.answer(second["lease"], 1, f"even-{second['lease']:06}")["status"] == "saved"
