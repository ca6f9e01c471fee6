"""Small campaigns for tests: made-up texts, two runs, and people who answer by rule."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from poolwise.workflows.campaigns._making import (
    add_documents,
    add_runs,
    add_topics,
    make_campaign,
)
from poolwise.workflows.campaigns._messages import Answer, Assignment
from poolwise.workflows.campaigns._room import CampaignRoom

TOPICS = ("1", "2", "3")


def rankings(runs: int = 3, depth: int = 8) -> dict[str, dict[str, dict[str, float]]]:
    """Return runs that share some documents of each topic."""
    return {
        f"run{r}": {
            t: {f"d{t}-{r + 2 * k}": float(depth - k) for k in range(depth)} for t in TOPICS
        }
        for r in range(runs)
    }


def texts(runs: int = 6, depth: int = 8) -> list[dict[str, str]]:
    """Return a text for every document that these runs could have."""
    return [
        {"id": f"d{t}-{n}", "text": f"Text {n} about topic {t}."}
        for t in TOPICS
        for n in range(runs + 2 * depth)
    ]


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def make_room_folder(
    folder: Path,
    settings: Mapping[str, Any] | None = None,
    documents: list[dict[str, str]] | None = None,
) -> Path:
    """Make a campaign of three topics; settings are written over those of the template."""
    place = folder / "campaign"
    make_campaign(place, measures=["P@5"], goal="relevant", depth=8, batch=10)
    toml = place / "campaign.toml"
    head, grades = toml.read_text().split("[[grades]]", 1)
    lines = [line for line in head.splitlines() if line.split(" = ")[0] not in (settings or {})]
    plain = {k: v for k, v in (settings or {}).items() if not isinstance(v, list)}
    settings_lines = [f"{name} = {json.dumps(value)}" for name, value in plain.items()]
    tables = "".join(
        f"\n[[{name}]]\n" + "\n".join(f"{k} = {json.dumps(v)}" for k, v in table.items()) + "\n"
        for name, value in (settings or {}).items()
        if isinstance(value, list)
        for table in value
    )
    toml.write_text("\n".join([*lines, *settings_lines]) + "\n[[grades]]" + grades + tables)
    (folder / "topics.tsv").write_text("".join(f"{t}\tquery {t}\n" for t in TOPICS))
    lines = [json.dumps(document) for document in documents or texts()]
    (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    add_topics(place, folder / "topics.tsv")
    add_documents(place, folder / "corpus.jsonl")
    add_runs(place, rankings())
    return place


@contextmanager
def opened(
    folder: Path, settings: Mapping[str, Any] | None = None, **options: Any
) -> Iterator[CampaignRoom]:
    """Make a small campaign and open it; documents are chosen already."""
    place = make_room_folder(folder, settings, options.pop("documents", None))
    with CampaignRoom(place, **options) as room:
        assert room.wait()
        yield room


def graded(assignment: Assignment, grade: float = 1, **cells: Any) -> Answer:
    """Return a grade for a document."""
    return Answer(
        cells.pop("client_id", f"client-{assignment.lease:06d}"),
        assignment.lease,
        grade=grade,
        **cells,
    )


def judge_all(room: CampaignRoom, assessor: str, grade: float = 1, most: int = 1000) -> int:
    """Answer whatever an assessor is given, until nothing is left."""
    done = 0
    while done < most:
        room.wait()
        work = room.assign(assessor, 5)
        if not work.assignments:
            if work.state != "preparing":
                return done
            continue
        receipts = room.record(
            assessor, [graded(assignment, grade) for assignment in work.assignments]
        )
        assert {receipt.status for receipt in receipts} == {"saved"}
        done += len(receipts)
    return done
