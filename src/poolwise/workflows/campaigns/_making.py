"""Campaigns from files: made, and given topics, runs and documents."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from poolwise.collection._common_topics import CommonTopics, read_common_topics
from poolwise.collection._reading import Reading
from poolwise.collection.files._writers import run_bytes
from poolwise.collection.formats._topic_files import read_topics
from poolwise.errors import InputError, OptionError
from poolwise.provenance._files import write_file
from poolwise.provenance._recorded import recorded
from poolwise.store.campaigns._documents import index_documents
from poolwise.store.campaigns._folder import CampaignFolder
from poolwise.store.campaigns._journal import Entry, Event, Journal, Row
from poolwise.words import named
from poolwise.workflows._explain import make_demo
from poolwise.workflows._judging import judgments_so_far
from poolwise.workflows._named_files import require_path
from poolwise.workflows.campaigns._common import known_before, recorded_topics
from poolwise.workflows.campaigns._demo import demo_texts, demo_topics
from poolwise.workflows.campaigns._state import RoomState, moment, share_of

__all__ = [
    "MEASURES",
    "Common",
    "add_common",
    "add_documents",
    "add_runs",
    "add_topics",
    "import_judgments",
    "make_campaign",
    "make_demo_campaign",
    "note",
]

MEASURES = ("nDCG@10", "SDCG@10")
"""By default, what people ask for, and beside it a measure that can be estimated from a sample."""
_TEMPLATE = """\
# A campaign of relevance judging. Every setting is explained in the manual of poolwise.
name = {name}
measures = {measures}
goal = {goal}
depth = {depth}

# What assessors read, and its version: raise the version when the text changes.
guidelines = "guidelines.md"
guidelines_version = "1"

# Who judges what.
assessors_per_document = 1
assignment = "document"  # or "topic": the documents of a topic go to the same person
judged_twice = 0.1  # a share of the documents is judged by one more person
lease_minutes = 60

# How documents are chosen.
batch = {batch}
random_share = 0.2  # of each batch, drawn at random: estimates rest on it
margin = 0.05  # half-widths below this are small enough
common_topics = 10  # topics on which a later run is judged for its own sake
seed = 1
{grades}"""
_GUIDELINES = """\
# How to judge

Read the query and what the person who asked it wants. Then read the document, and choose the grade
that fits what it says, whatever you think of how it is written.
"""
_GRADES = (
    ("Not relevant", "The document says nothing about the query."),
    ("Related", "The document mentions the subject in passing."),
    ("Relevant", "The document answers the query in part."),
    ("Highly relevant", "The document answers the query in full."),
)
"""The scale of TREC's Deep Learning track, more or less; a binary one takes its first and third."""


@recorded
def make_campaign(
    path: str | Path,
    *,
    name: str = "",
    measures: Sequence[str] = MEASURES,
    goal: str = "order",
    grades: Sequence[float] = (0, 1, 2, 3),
    depth: int = 10,
    batch: int = 100,
) -> CampaignFolder:
    """Make the folder of a new campaign, with settings that can be edited.

    Parameters
    ----------
    path
        The folder, which must not hold anything yet.
    name
        What the campaign is called; by default as the folder.
    measures
        What runs are scored by; decisions go by the first.
    goal
        What judging is for, as in :func:`~poolwise.next`.
    grades
        The scale.
    depth
        How many ranks of each run may be judged.
    batch
        How many documents are chosen at a time.

    Returns
    -------
    CampaignFolder
        The campaign.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = make_campaign(f"{folder}/dl19", goal="top:1", grades=(0, 1))
    ...     made.settings.name, str(made.settings.goal), made.settings.scale
    ('dl19', 'top:1', (0.0, 1.0))
    """
    require_path(str(path))
    text = _TEMPLATE.format(
        name=json.dumps(name or Path(path).resolve().name),
        measures=json.dumps([str(measure) for measure in measures]),
        goal=json.dumps(str(goal)),
        depth=depth,
        batch=batch,
        grades="".join(map(_grade_text, grades, _labels(grades))),
    )
    folder = CampaignFolder.make(path, text, _GUIDELINES)
    note(folder, [("campaign", {"name": folder.settings.name})])
    return folder


def _labels(grades: Sequence[float]) -> list[tuple[str, str]]:
    """Return a label and a sentence for each grade of a scale, for people to edit."""
    if len(grades) == 2:
        return [_GRADES[0], _GRADES[2]]
    more = [(f"Grade {grade:g}", "") for grade in grades[len(_GRADES) :]]
    return [*_GRADES[: len(grades)], *more]


def _grade_text(grade: float, words: tuple[str, str]) -> str:
    label, means = map(json.dumps, words)
    return f"\n[[grades]]\ngrade = {grade:g}\nlabel = {label}\nmeans = {means}\n"


def note(folder: CampaignFolder, events: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Write events about a campaign while nobody judges."""
    lock = folder.lock()
    try:
        state = RoomState.read(folder)
        # never before what is written already, whatever the clock says
        at = max(moment(time()), state.last_at)
        rows = [
            Event(number, kind, at, who=str(data.get("run", "")), data=data)
            for number, (kind, data) in enumerate(events, state.last_event + 1)
        ]
        _written(folder, rows)
    finally:
        lock.close()


def add_topics(path: str | Path, source: str | Path) -> int:
    r"""Add topics to a campaign; one that is there gets the new text.

    Parameters
    ----------
    path
        The folder of the campaign.
    source
        A TREC file, JSONL, or lines with an id, a tab and a query.

    Returns
    -------
    int
        How many topics the campaign has now.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_campaign(f"{folder}/dl19")
    ...     _ = Path(folder, "queries.tsv").write_text("1\tred dress\n2\tblue shoes\n")
    ...     add_topics(f"{folder}/dl19", f"{folder}/queries.tsv")
    2
    """
    folder = CampaignFolder.at(path)
    new_topics = read_topics(source)
    topics = folder.topics() | {topic.id: topic for topic in new_topics}
    folder.write_topics(topics)
    note(
        folder, [("topics", {"source": str(source), "topics": [topic.id for topic in new_topics]})]
    )
    return len(topics)


def add_documents(path: str | Path, source: str | Path) -> int:
    r"""Add documents to a campaign, found by id from then on.

    A plain file of lines is indexed where it lies, and must stay there. All else (compressed
    files, Parquet, a folder, a dataset of ir_datasets) is copied into the campaign's folder as
    plain lines, since nothing can be found quickly within it.

    Parameters
    ----------
    path
        The folder of the campaign.
    source
        A file or a folder of documents, or ``irds:`` and the name of a dataset.

    Returns
    -------
    int
        How many documents were added.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_campaign(f"{folder}/dl19")
    ...     _ = Path(folder, "corpus.jsonl").write_text('{"_id": "d1", "text": "They hoot."}\n')
    ...     add_documents(f"{folder}/dl19", f"{folder}/corpus.jsonl")
    1
    """
    folder = CampaignFolder.at(path)
    part = index_documents(folder.documents_folder, source)
    count = int(part.told["documents"])
    note(folder, [("documents", {"source": str(source), "documents": count})])
    return count


Common = CommonTopics | str | Path | int | None
"""Common topics: a record of them, its file, or how many are drawn; None for as many as is set."""


def add_runs(
    path: str | Path, runs: Any, *, common: Common = None, reading: Reading = Reading()
) -> tuple[str, ...]:
    """Add runs to a campaign.

    A run that comes after judging has begun is judged for its own sake on some topics, drawn at
    random now and written down: from these its scores on the others are adjusted (W10 alg. 6.2).

    Parameters
    ----------
    path
        The folder of the campaign.
    runs
        Whatever :func:`~poolwise.read_runs` reads.
    common
        How many topics are drawn, by default ``common_topics`` of the settings; or the record of
        them that :func:`~poolwise.next` made for the goal ``common:N``, or its file.

    Returns
    -------
    tuple of str
        The names of the runs that were added.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_campaign(f"{folder}/dl19")
    ...     add_runs(f"{folder}/dl19", {"bm25": {"1": {"a": 2.0, "b": 1.0}}})
    ('bm25',)
    """
    folder = CampaignFolder.at(path)
    new_runs = reading.runs(runs)
    state = RoomState.read(folder)
    present = {event.data["run"] for event in state.events.get("run", ())}
    again = [run for run in new_runs.systems if run in present]
    if again:
        raise InputError(
            str(path),
            "a run must have a name of its own, and the campaign has these already",
            value=named(again),
            remedy="name the new run otherwise, in its file or by the file's name",
        )
    later = new_runs.systems if state.last_entry else ()
    drawn = {run: _drawn(folder, state, run, new_runs.topics, common) for run in later}
    events: list[tuple[str, Mapping[str, Any]]] = []
    # Each file before the entry that names it: a journal must not name a run that is not there.
    for run in new_runs.systems:
        place = folder.run_place(run)
        write_file(place, run_bytes(new_runs, run, place))
        events.append(("run", {"run": run, "topics": len(new_runs.topics)}))
        events += [("common", draw) for draw in drawn.get(run, ()) if draw["topics"]]
    note(folder, events)
    return tuple(new_runs.systems)


def add_common(
    path: str | Path, common: Common, *, runs: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Record more topics on which later runs are judged for their own sake.

    Parameters
    ----------
    path
        The folder of the campaign.
    common
        How many more are drawn at random for each run; or the record of them that
        :func:`~poolwise.next` made for the goal ``common:N``, or its file.
    runs
        Which runs; by default all that came after judging had begun.

    Returns
    -------
    dict from str to tuple of str
        The topics that were recorded for each run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = make_demo_campaign(f"{folder}/demo")
    ...     _ = import_judgments(made.path, {"401": {"d1": 1}}, "Ann")
    ...     _ = add_runs(made.path, made.path / "later" / "dfr-3.run", common=2)
    ...     drawn = add_common(made.path, 3)
    >>> {run: len(topics) for run, topics in drawn.items()}
    {'dfr-3': 3}
    """
    folder = CampaignFolder.at(path)
    state = RoomState.read(folder)
    came = [event.who for event in state.events.get("run", ())]
    later = [run for run in came if known_before(state, run)]
    strange = [run for run in runs if run not in later]
    if strange or not later:
        raise InputError(
            str(path),
            "common topics are for runs that came after judging had begun",
            value=named(strange) or "none",
            remedy=f"use {named(later, most=10)}" if later else "poolwise campaign add-run",
        )
    read = Reading().runs(folder.runs())
    events = [
        draw
        for run in runs or later
        for draw in _drawn(folder, state, run, read.topics, common, more=True)
        if draw["topics"]
    ]
    if not events:
        rule = "there must be topics that are not recorded for these runs already"
        raise InputError(str(path), rule, remedy="add topics, or draw fewer")
    note(folder, [("common", draw) for draw in events])
    return {draw["run"]: tuple(draw["topics"]) for draw in events}


def import_judgments(
    path: str | Path, source: Any, assessor: str, *, reading: Reading = Reading()
) -> tuple[int, int]:
    """Take grades into the journal of a campaign that somebody gave elsewhere.

    Parameters
    ----------
    path
        The folder of the campaign.
    source
        An object, or whatever :func:`~poolwise.read_judgments` reads; a negative grade is none.
    assessor
        Who gave them.

    Returns
    -------
    new, known : int
        How many were taken in, and how many were there already: to import a file again is harmless.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_campaign(f"{folder}/dl19")
    ...     [import_judgments(f"{folder}/dl19", {"1": {"a": 2}}, "Ann") for _ in range(2)]
    [(1, 0), (0, 1)]
    """
    folder = CampaignFolder.at(path)
    judgments = judgments_so_far(source, reading).with_grades(folder.settings.scale)
    documents = folder.documents()
    lock = folder.lock()
    try:
        state = RoomState.read(folder)
        # Read under the lock, so that no answer takes the same number. A clock that was set back
        # must put no entry before the one that it follows.
        at, before = max(moment(time()), state.last_at), state.last_entry
        repeated = 0
        for topic, document, grade in judgments:
            earlier = state.answers.get((topic, document), {}).get(assessor)
            text = documents.find(document)
            code = text.sha256 if text else ""
            # The same grade counts anew where the text of the document has changed since.
            if grade < 0 or (
                earlier and earlier.grade == grade and earlier.document_sha256 == code
            ):
                repeated += grade >= 0
                continue
            number = state.last_entry + 1
            name = sha256(f"{assessor}\0{topic}\0{document}\0{number}".encode("utf-8", "replace"))
            state.apply(
                Entry(
                    number,
                    f"import-{name.hexdigest()[:32]}",
                    assessor,
                    topic,
                    document,
                    code,
                    grade,
                    "grade",
                    "",
                    "import",
                    None,
                    "",
                    at,
                    None,
                    folder.settings.guidelines_version,
                    earlier.id if earlier else None,
                )
            )
        new = [entry for entry in state.entries.values() if entry.id > before]
        summary = {"source": str(judgments.source), "assessor": assessor, "judgments": len(new)}
        _written(folder, [*new, Event(state.last_event + 1, "import", at, data=summary)])
    finally:
        lock.close()
    return len(new), repeated


def _written(folder: CampaignFolder, rows: Sequence[Row]) -> None:
    journal = Journal(folder.journal)
    try:
        journal.write(rows).result()
    finally:
        journal.close()


def _drawn(
    folder: CampaignFolder,
    state: RoomState,
    run: str,
    topics: Sequence[str],
    common: Common,
    *,
    more: bool = False,
) -> list[dict[str, Any]]:
    """Return the topics on which a run is judged for its own sake, as the journal keeps them."""
    up_to = known_before(state, run) if more else state.last_entry
    asked, had = sorted(set(folder.topics()) & set(topics)), recorded_topics(state).of_run(run)
    left = [topic for topic in asked if topic not in had]
    if isinstance(common, CommonTopics | str | Path):
        record = common if isinstance(common, CommonTopics) else read_common_topics(common)
        _require_topics(record, run, asked, common)
        made = _from_record(record, run, left)
    else:
        count = folder.settings.common_topics if common is None else common
        # a later draw has a seed of its own
        words = (folder.settings.seed, "common", run, *([len(had)] if had else []))
        made = [_by_chance(left, count, words) | {"depth": folder.settings.depth}]
    return [draw | {"run": run, "of": len(asked), "known": up_to} for draw in made]


def _by_chance(left: Sequence[str], count: int, words: Sequence[object]) -> dict[str, Any]:
    """Draw so many topics, or all that are left."""
    seed = int(share_of(*words) * 2**31)
    drawn = np.random.default_rng(seed).choice(len(left), min(count, len(left)), replace=False)
    return {"topics": sorted(left[at] for at in drawn.tolist()), "seed": seed}


def _from_record(record: CommonTopics, run: str, left: Sequence[str]) -> list[dict[str, Any]]:
    """Return what a record has of a run, the topics of one draw together."""
    draws: dict[tuple[int, int], list[str]] = {}
    rows = zip(record.runs, record.topics, record.depths, record.seeds, strict=True)
    for name, topic, depth, seed in rows:
        if name == run and topic in left:
            draws.setdefault((depth, seed), []).append(topic)
    return [
        {"topics": sorted(topics), "depth": depth, "seed": seed}
        for (depth, seed), topics in draws.items()
    ]


def _require_topics(
    record: CommonTopics, run: str, asked: Sequence[str], source: CommonTopics | str | Path
) -> None:
    own = record.of_run(run)
    unknown = [topic for topic in own if topic not in asked]
    if own and not unknown:
        return
    where = "the record of common topics" if isinstance(source, CommonTopics) else str(source)
    if not own:
        rule, value = f"it must have topics for {run}", named(list(dict.fromkeys(record.runs)))
    else:
        rule, value = f"{run} must have results for its topics, in the campaign", named(unknown)
    remedy = "draw topics for it by poolwise next --goal common:10 --save FILE"
    raise InputError(where, rule, value=value, remedy=remedy)


@recorded
def make_demo_campaign(path: str | Path) -> CampaignFolder:
    """Make a campaign from the made-up collection of ``poolwise demo``, with made-up texts.

    The runs that took part in its pool are in it; those that came later lie in the folder
    ``later``, to be added. Nothing is judged yet.

    Parameters
    ----------
    path
        The folder, which must not hold anything yet.

    Returns
    -------
    CampaignFolder
        The campaign.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = make_demo_campaign(f"{folder}/demo")
    ...     len(made.topics()), len(made.runs()), made.topics()["401"].query
    (50, 10, 'repair of bicycles')
    """
    if Path(path).is_file():
        raise OptionError(f"path: must be a folder; got {path}. Hint: name a new one.")
    folder = make_campaign(path, name="poolwise demo", batch=60)
    made, _ = make_demo(path)
    folder.write_topics(demo_topics(made.truth))
    wanted = {
        document
        for run in made.runs.systems
        for topic in made.runs.topics
        for document in made.runs.ranking(run, topic)[: 2 * folder.settings.depth]
    }
    texts = folder.path / "texts.jsonl"
    lines = (json.dumps(document._asdict()) + "\n" for document in demo_texts(made.truth, wanted))
    write_file(texts, "".join(lines).encode())
    add_documents(path, texts)
    add_runs(path, made.runs.select(made.pooled))
    for run in made.unpooled:
        (folder.path / "later").mkdir(exist_ok=True)
        place = folder.path / "later" / f"{run}.run"
        write_file(place, run_bytes(made.runs, run, place))
    return folder
