"""Sections of the page on two runs: the verdict, topics, rankings side by side, what to judge."""

from collections.abc import Iterator
from html import escape

import numpy as np

from poolwise.errors import shortened
from poolwise.findings._documents_by_run import DocumentsByRun
from poolwise.findings._side_by_side import PairByMeasure, SideBySide
from poolwise.results._columns import Columns
from poolwise.scores._topic_deltas import Deltas
from poolwise.views.report._parts import (
    MOST_TOPICS,
    Drawn,
    Field,
    Row,
    by_measure,
    notes,
    p_field,
    paragraph,
    range_field,
    rows_of,
    sortable_table,
    where,
)
from poolwise.words import counted, signed, visible

__all__ = ["pair_verdict", "rankings", "to_judge_for_pair", "unjudged", "wins_and_losses"]

_TEXT = 400
"""Characters of a text that the page holds."""
_TOPICS_LISTED = 200
"""Topics in a table, where there are many."""
_UNJUDGED_LISTED = 200


# ---- which run is better


def pair_verdict(sides: SideBySide) -> str:
    """Return the verdict on the pair by each measure, and the numbers behind it."""
    return by_measure(sides, _verdict) + _numbers(sides)


def _verdict(part: PairByMeasure) -> str:
    sentence = part.comparison.pair_verdict.sentence
    return f'<div class="verdict">{paragraph(sentence)}</div>'


def _numbers(sides: SideBySide) -> str:
    rows = rows_of(sides.columns())
    level = f"{1 - sides.measures[0].comparison.alpha:.0%}"
    fields = [
        Field("measure"),
        Field(sides.a, "mean_a", digits=4, help="Its mean over topics", minor=True),
        Field(sides.b, "mean_b", digits=4, help="Its mean over topics", minor=True),
        Field("difference", lambda row: _signed(row["difference"])),
        range_field(f"{level} over topics", "ci_low", "ci_high", sign="+"),
        range_field(
            *("range if judged", "bound_low", "bound_high"),
            "Of the difference, over every grade of the unjudged documents",
            sign="+",
        ),
        p_field("p, corrected", "p_adjusted"),
        Field(
            "wins/ties/losses", _outcome, help=f"Topics on which {sides.a} is above, level, below"
        ),
        Field("state", lambda row: _wrapped(row["state"])),
    ]
    caption = f"{sides.a} minus {sides.b}, by each measure"
    method = sides.measures[0].comparison
    return sortable_table(fields, rows, name="numbers", caption=caption) + notes(
        f"The p values are those of the {method.test}, corrected: {method.correction}."
    )


def _signed(difference: float) -> Drawn:
    return Drawn(signed(difference), "" if np.isnan(difference) else difference, right=True)


def _outcome(row: Row) -> str:
    return f"{row['wins']}/{row['ties']}/{row['losses']}"


# ---- on which topics


def wins_and_losses(sides: SideBySide) -> str:
    """Return the difference on each topic, drawn and listed, by each measure."""
    return by_measure(sides, lambda part: _topics(sides, part))


def _topics(sides: SideBySide, part: PairByMeasure) -> str:
    said = paragraph(*part.deltas.sentences())
    if not len(part.deltas.topics):
        return said
    return said + _bars(part.deltas) + _topic_table(sides, part)


_HEIGHT = 100
"""Units of the bars' height, on either side of 0."""


def _bars(deltas: Deltas) -> str:
    """Draw the difference on each topic, the largest first."""
    most = float(np.abs(deltas.difference).max()) or 1.0
    bars = "".join(_bar(i, float(d) / most) for i, d in enumerate(deltas.difference.tolist()))
    count = len(deltas.topics)
    label = (
        f"{deltas.a} minus {deltas.b} in {deltas.measure} on each topic, "
        f"the best for {deltas.a} first"
    )
    return (
        f'<figure class="deltas"><figcaption>{escape(label)}</figcaption>'
        f'<div class="bars"><span class="end" aria-hidden="true">{signed(most, digits=2)}</span>'
        f'<svg viewBox="0 {-_HEIGHT} {count} {2 * _HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{bars}<path class="zero" d="M0 0H{count}"/></svg>'
        f'<span class="end" aria-hidden="true">{signed(-most, digits=2)}</span></div></figure>'
    )


def _bar(place: int, share: float) -> str:
    if share == 0:
        return ""
    kind, top = ("ahead", -share) if share > 0 else ("behind", 0.0)
    height = abs(share) * _HEIGHT
    return (
        f'<rect class="{kind}" x="{place + 0.1:.1f}" y="{top * _HEIGHT:.1f}" width="0.8" '
        f'height="{height:.1f}"/>'
    )


def _topic_table(sides: SideBySide, part: PairByMeasure) -> str:
    topics = len(part.deltas.topics)
    most = _TOPICS_LISTED if topics > MOST_TOPICS else None
    rows = rows_of(_with_documents(sides, part.topic_scores(most)))
    has_queries = any(row["query"] for row in rows)
    fields = [
        Field("topic", _topic_link),
        *where(has_queries, Field("query", lambda row: _wrapped(row["query"]))),
        Field(sides.a, "score_a", digits=4, minor=True),
        Field(sides.b, "score_b", digits=4, minor=True),
        Field("difference", lambda row: _signed(row["difference"])),
        Field("unjudged", help="Documents without a grade in the first ranks of both runs"),
    ]
    caption = f"{part.measure} by topic, the best for {sides.a} first"
    if most:
        caption += f": the {most} of {topics:,} on which the runs differ most"
    return sortable_table(fields, rows, name=f"topics-{part.measure}", caption=caption)


def _with_documents(sides: SideBySide, columns: Columns) -> Columns:
    """Add the query of each topic, its place among the rankings, and what is unjudged there."""
    lists = {listed.topic: (place, listed) for place, listed in enumerate(sides.lists())}
    at = [lists.get(topic) for topic in columns["topic"]]
    return columns | {
        "query": [entry[1].query if entry else "" for entry in at],
        "place": [entry[0] if entry else None for entry in at],
        "unjudged": [int(entry[1].unjudged.sum()) if entry else None for entry in at],
    }


def _topic_link(row: Row) -> Drawn:
    name = escape(visible(row["topic"]))
    if row["place"] is None:
        return Drawn(name, row["topic"])
    return Drawn(f'<a href="#ranked-{row["place"]}">{name}</a>', row["topic"])


def _wrapped(said: str | None) -> Drawn:
    text = visible(said or "")
    return Drawn(f'<span class="wrapped">{escape(text)}</span>', text)


# ---- what the runs rank


def rankings(sides: SideBySide) -> str:
    """Return both rankings of each topic beside each other; nothing where there are none."""
    if sides.documents is None or not len(sides.documents):
        return ""
    shown, depth = sides.lists(), sides.lists()[0].depth
    which = counted(len(shown), "topic")
    if len(shown) < sides.documents.of:
        which = f"The {which}, of {sides.documents.of:,}, on which the runs differ most"
    first = f"the first {counted(depth, 'document')} of both runs"
    said = f"{which}: {first}; where they differ most comes first."
    blocks = "".join(_ranked(sides, place, listed) for place, listed in enumerate(shown))
    return paragraph(said) + f'<div class="topics">{blocks}</div>'


def _ranked(sides: SideBySide, place: int, listed: DocumentsByRun) -> str:
    query = f'<span class="query">{escape(visible(listed.query))}</span>' if listed.query else ""
    deltas = "".join(f" <span>{escape(said)}</span>" for said in _differences(sides, listed.topic))
    unknown = int(listed.unjudged.sum())
    missing = f' <span class="unjudged">{unknown:,} unjudged</span>' if unknown else ""
    lists = "".join(_ranking(listed, run, _other(sides, run)) for run in (sides.a, sides.b))
    is_open = " open" if place == 0 else ""
    return (
        f"<details{is_open}><summary><b>{escape(visible(listed.topic))}</b> {query}"
        f'<span class="numbers">{deltas}{missing}</span></summary>'
        f'<div class="rankings" id="ranked-{place}">{lists}</div></details>'
    )


def _differences(sides: SideBySide, topic: str) -> Iterator[str]:
    """Say the difference on a topic by each measure that has one there."""
    for part in sides:
        if topic in part.by_topic:
            yield f"{part.measure} {signed(part.by_topic[topic])}"


def _other(sides: SideBySide, run: str) -> str:
    return sides.b if run == sides.a else sides.a


def _ranking(listed: DocumentsByRun, run: str, other: str) -> str:
    ranks = listed.ranks[:, listed.systems.index(run)]
    first = np.flatnonzero(listed.is_first(run))
    items = "".join(_item(listed, d, run, other) for d in first[np.argsort(ranks[first])].tolist())
    body = f"<ol>{items}</ol>" if items else "<p>No results for this topic.</p>"
    return f"<div><h3>{escape(visible(run))}</h3>{body}</div>"


def _item(listed: DocumentsByRun, document: int, run: str, other: str) -> str:
    rank, there = listed.ranks_of(document, (run, other))
    grade = listed.grades[document]
    unknown = bool(np.isnan(grade))
    mark = "unjudged" if unknown else f"grade {grade:g}"
    kind = "unjudged" if unknown else "relevant" if grade > 0 else "other"
    name = listed.documents[document]
    text = shortened(listed.said.get(name, ""), _TEXT)
    return (
        f'<li value="{rank}"><span class="grade {kind}">{mark}</span> '
        f'<span class="id">{escape(visible(name))}</span> '
        f'<span class="there">{_elsewhere(rank, there)}</span>'
        + (f"<p>{escape(visible(text))}</p>" if text else "")
        + "</li>"
    )


def _elsewhere(rank: int | None, there: int | None) -> str:
    """Say where the other run has a document."""
    if there is None:
        return "not in the other run"
    return "the same rank in both" if there == rank else f"rank {there:,} in the other run"


# ---- which documents are unjudged, and which to judge


def unjudged(sides: SideBySide) -> str:
    """Return the unjudged documents among those that are shown, with their ranks in both runs."""
    lead = paragraph(*sides.what_is_unjudged(), *sides.coverage.least_sentence())
    rows = rows_of(sides.unjudged())
    if not rows:
        return lead
    fields = [
        Field("topic"),
        *where(
            any(row["query"] for row in rows), Field("query", lambda row: _wrapped(row["query"]))
        ),
        Field("document"),
        Field(f"rank in {sides.a}", lambda row: _rank(row["rank_a"])),
        Field(f"rank in {sides.b}", lambda row: _rank(row["rank_b"])),
    ]
    listed = rows[:_UNJUDGED_LISTED]
    caption = "Unjudged documents in the first ranks"
    if len(listed) < len(rows):
        caption += f": the first {len(listed):,} of {len(rows):,}"
    return lead + sortable_table(fields, listed, name="unjudged", caption=caption)


def _rank(rank: int | None) -> Drawn:
    return Drawn("–" if rank is None else f"{rank:,}", "" if rank is None else rank, right=True)


def to_judge_for_pair(sides: SideBySide) -> str:
    """Return the documents to judge next by each measure, with the command that lists them."""
    return by_measure(sides, _to_judge)


def _to_judge(part: PairByMeasure) -> str:
    rows = rows_of(part.to_judge.columns())
    if not rows:
        return paragraph(*part.to_judge.sentences())
    number = len(rows)
    lead = "Judge this document first." if number == 1 else f"Judge these {number:,} first."
    fields = [
        Field("topic"),
        *where("query" in rows[0], Field("query", lambda row: _wrapped(row["query"]))),
        Field("document", _document),
        Field("best rank", "best_rank"),
        Field("why", lambda row: _wrapped(row["reason"])),
    ]
    caption = f"Documents to judge for the order of both runs by {part.measure}"
    table = sortable_table(fields, rows, name=f"to-judge-{part.measure}", caption=caption)
    command = f'<pre class="command" tabindex="0"><code>{escape(part.command)}</code></pre>'
    return paragraph(lead, *part.to_judge.sentences()) + table + _how(command)


def _how(command: str) -> str:
    return f"<p>This command lists them; a larger budget lists more:</p>{command}"


def _document(row: Row) -> Drawn:
    name, text = escape(visible(row["document"])), shortened(row.get("text") or "", _TEXT)
    said = f"<p>{escape(visible(text))}</p>" if text else ""
    return Drawn(f'<div class="document">{name}{said}</div>', row["document"])
