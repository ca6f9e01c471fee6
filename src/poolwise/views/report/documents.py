"""Section 5 of the report: the documents behind a topic."""

from html import escape

import numpy as np

from poolwise.findings._documents_by_run import DocumentsByRun
from poolwise.findings._overview import Overview
from poolwise.views.report.parts import Section, note, paragraph, script_data

__all__ = ["documents_section"]

_TEXT = 400
"""Characters of a text that the page holds."""


def documents_section(overview: Overview) -> Section | None:
    """Return a choice of topics and the documents of each; None where there are none."""
    found = overview.documents
    if found is None or not len(found):
        return None
    content = {
        "systems": found.topics[0].systems,
        "depth": found.topics[0].depth,
        "texts": {name: _shortened(text) for name, text in found.texts.items()},
        "topics": [_topic(one) for one in found.topics],
    }
    options = "".join(f"<option>{escape(one.topic)}</option>" for one in found.topics)
    body = (
        paragraph(*found.sentences(), lead=False)
        + f'<div class="documents"><div class="choices"><label>topic <select>{options}</select>'
        '</label><label><input type="checkbox"> unjudged documents only</label>'
        '<a class="anchor topic" href="#documents">link to this topic</a></div>'
        f'<div class="of-topic" aria-live="polite"></div>{script_data(content)}</div>'
        + note(
            "A document is listed with the ranks at which runs have it; those come first that are "
            "ranked early and often. By command: poolwise show QRELS RUNS --topic TOPIC"
        )
    )
    return Section("documents", "Which documents are behind a topic?", "Documents", body)


def _topic(one: DocumentsByRun) -> dict[str, object]:
    """Return the documents of a topic, their grades, and by run the first ones by their places."""
    return {
        "topic": one.topic,
        "documents": one.documents,
        "grades": [None if np.isnan(grade) else grade for grade in one.grades.tolist()],
        "lists": [_first(one, s) for s in range(len(one.systems))],
    }


def _first(one: DocumentsByRun, system: int) -> list[int]:
    ranks = one.ranks[:, system]
    there = np.flatnonzero((ranks > 0) & (ranks <= one.depth))
    return [int(d) for d in there[np.argsort(ranks[there])]]


def _shortened(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
