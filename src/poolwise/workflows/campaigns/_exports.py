"""Judgments of a campaign as files: by a declared rule, in a chain of versions."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from poolwise.collection._merged import decided
from poolwise.collection.files._readers import read_judgments
from poolwise.collection.files._writers import qrels_bytes
from poolwise.errors import OptionError
from poolwise.findings.campaigns._dawid_skene import dawid_skene
from poolwise.findings.campaigns._export import CampaignExport, kappa_between
from poolwise.provenance._files import Staged, make_folder
from poolwise.provenance._provenance import WITHOUT_FILES
from poolwise.store.campaigns._folder import CampaignFolder
from poolwise.store.campaigns._journal import Entry
from poolwise.words import named
from poolwise.workflows.campaigns._common import recorded_topics
from poolwise.workflows.campaigns._standing import judgments_of, labels_of
from poolwise.workflows.campaigns._state import Key, RoomState

__all__ = ["EXPORT_RULES", "PreparedExport", "prepare_export", "pseudonyms"]

EXPORT_RULES = {
    "adjudicated": "what an organiser decided, or all who judged agree on; the rest is left out",
    "majority": "the most frequent grade, of equally frequent ones the lowest",
    "latest": "the grade that was given last",
    "dawid-skene": "the most probable grade, given how each assessor errs",
    "assessor:NAME": "the grades of one assessor",
}
"""What makes one grade of several."""


class PreparedExport(NamedTuple):
    """An export before it is written: the finding, what the journal says of it, and its files."""

    found: CampaignExport
    data: Mapping[str, Any]
    files: Mapping[Path, bytes]

    def write(self) -> None:
        """Write all files, or none."""
        for path in self.files:
            make_folder(path.parent)
        with Staged() as staged:
            staged.place([staged.add(path, content) for path, content in self.files.items()])


def prepare_export(
    folder: CampaignFolder, state: RoomState, topics: tuple[str, ...], rule: str
) -> PreparedExport:
    """Return the judgments of a campaign by a rule, as the next version of them."""
    grades, undecided = _by_rule(state, rule)
    judgments = judgments_of(state.settings, topics, grades)
    past = state.events.get("export", ())
    previous = past[-1].data if past else {"version": "", "file": ""}
    number = len(past) + 1
    place = folder.path / "exports" / f"v{number:03d}"
    qrels = place.with_suffix(".qrels")
    content = qrels_bytes(judgments, qrels)
    hashed = sha256(content).hexdigest()
    version = sha256(f"{previous['version']}\n{rule}\n{hashed}".encode()).hexdigest()
    old = folder.path / previous["file"] if previous["file"] else None
    is_there = old is not None and old.is_file() and old.stat().st_size
    shared, kappa = kappa_between(read_judgments(old), judgments) if is_there else (0, np.nan)
    data = {
        "version": version,
        "previous": previous["version"],
        "rule": rule if not rule.startswith(_ONE) else f"{_ONE}{_pseudonym(state, rule)}",
        "sha256": hashed,
        "documents": len(judgments),
        "judgment": state.last_entry,
        "file": qrels.relative_to(folder.path).as_posix(),
    }
    export = CampaignExport(
        judgments,
        version,
        previous["version"],
        str(data["rule"]),
        undecided,
        shared,
        float(kappa),
        str(qrels),
        provenance=WITHOUT_FILES,
    )
    files = {
        qrels: content,
        place.with_suffix(".labels.tsv"): _labels_bytes(state),
        place.with_suffix(".json"): (json.dumps(data, indent=1) + "\n").encode(),
    }
    common = recorded_topics(state)
    if common.runs:  # what estimate --common reads
        files[place.with_suffix(".common.tsv")] = common.to_bytes()
    return PreparedExport(export, data, files)


_ONE = "assessor:"
_FEWEST = 20
"""Documents with two judgments below which nobody's errors can be told from other grades."""


def _pseudonym(state: RoomState, rule: str) -> str:
    return pseudonyms(state)[rule.removeprefix(_ONE)]


def pseudonyms(state: RoomState) -> dict[str, str]:
    """Return what each assessor is called in exports: by who came first, not by name."""
    invited = (e.who for e in state.events.get("token", ()) if e.data["kind"] == "assessor")
    names = dict.fromkeys((*invited, *(entry.assessor for entry in state.entries.values())))
    return {name: f"a{number:02d}" for number, name in enumerate(names, 1)}


def _by_rule(state: RoomState, rule: str) -> tuple[dict[str, dict[str, float]], int]:
    """Return one grade for each document, and of how many documents the rule makes none."""
    graded = {key: _graded(state, key) for key in sorted({*state.answers, *state.adjudicated})}
    graded = {key: entries for key, entries in graded.items() if entries}
    if rule == "dawid-skene":
        return _most_probable(state), 0
    grades: dict[str, dict[str, float]] = {}
    undecided = 0
    for key, entries in graded.items():
        grade = _decided(state, key, entries, rule)
        if grade is None:
            undecided += not rule.startswith(_ONE)
        else:
            grades.setdefault(key[0], {})[key[1]] = grade
    return grades, undecided


def _graded(state: RoomState, key: Key) -> list[Entry]:
    """Return the answers with a grade, in the order in which they were given."""
    return [entry for entry in sorted(state.current(key).values()) if entry.grade is not None]


def _decided(state: RoomState, key: Key, entries: list[Entry], rule: str) -> float | None:
    grades = [float(entry.grade or 0) for entry in entries]
    if rule == "majority":
        return float(decided(grades, "majority"))
    if rule == "latest":
        return grades[-1]
    if rule == "adjudicated":
        ruling = state.adjudicated.get(key)
        if ruling is not None:
            return ruling.grade
        return grades[0] if len(set(grades)) == 1 else None
    return _of_one(state, entries, rule)


def _of_one(state: RoomState, entries: list[Entry], rule: str) -> float | None:
    names = pseudonyms(state)
    name = rule.removeprefix(_ONE)
    if not rule.startswith(_ONE) or name not in names:
        options = [f"{_ONE}{pseudonym}" for pseudonym in names] or [f"{_ONE}NAME"]
        raise OptionError(
            f"rule: {rule!r} is not known. Hint: use one of "
            f"{named([*list(EXPORT_RULES)[:-1], *options], most=12)}."
        )
    return next((entry.grade for entry in entries if entry.assessor == name), None)


def _most_probable(state: RoomState) -> dict[str, dict[str, float]]:
    labels = labels_of(state)
    twice = 0 if labels is None else int(((~np.isnan(labels.matrix())).sum(axis=0) > 1).sum())
    if labels is None or twice < _FEWEST:
        raise OptionError(
            f"rule: 'dawid-skene' needs {_FEWEST} documents that two people have judged, to see "
            f"how they err; there are {twice}. Hint: use majority, or raise judged_twice."
        )
    probable = labels.scale[dawid_skene(labels.matrix(), labels.scale).grade]
    grades: dict[str, dict[str, float]] = {}
    for at, document in enumerate(labels.documents):
        topic = labels.topics[int(labels.topic_of_document[at])]
        grades.setdefault(topic, {})[document] = float(probable[at])
    return grades


_COLUMNS = ("assessor", "topic", "document", "grade", "kind", "chosen_by", "probability",
            "document_sha256", "guideline_version")  # fmt: skip


def _labels_bytes(state: RoomState) -> bytes:
    """Return every answer that stands, under pseudonyms, without notes and times."""
    names = pseudonyms(state)
    lines = ["\t".join(_COLUMNS)]
    for key in sorted(state.answers):
        for entry in sorted(state.current(key).values()):
            cells = entry._asdict() | {"assessor": names[entry.assessor]}
            shown = ("" if cells[name] is None else cells[name] for name in _COLUMNS)
            lines.append("\t".join(f"{c:g}" if isinstance(c, float) else str(c) for c in shown))
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")
