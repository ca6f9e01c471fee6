"""Sections of the page on the order of the runs: who is ahead, what supports it, what to judge."""

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

from poolwise.findings._judged_coverage import FIRST_RANKS
from poolwise.findings._measure_overview import MeasureOverview
from poolwise.findings._overview import Overview
from poolwise.findings._pair_verdicts import PairVerdicts
from poolwise.results._finding import Finding
from poolwise.scores._score_table import ScoreTable, Summary
from poolwise.scores._topic_deltas import DeltaDensities, Deltas
from poolwise.views.report._chart_style import Chart
from poolwise.views.report._charts import (
    delta_chart,
    density_chart,
    pair_chart,
    unjudged_chart,
    unjudged_density_chart,
)
from poolwise.views.report._nested_bars import (
    Axis,
    Bar,
    axis_markup,
    axis_of,
    bar_kind,
    nested_bars,
    outside_sentence,
)
from poolwise.views.report._parts import (
    MOST_TOPICS,
    Drawn,
    Field,
    by_measure,
    encode,
    figure,
    notes,
    p_field,
    paragraph,
    range_field,
    rows_of,
    script_data,
    sortable_table,
    warning,
    where,
)

__all__ = ["differences", "judgments", "leaderboard", "to_judge"]

_RUN = Field("run", of_runs=True)


def leaderboard(overview: Overview) -> str:
    """Return the leaderboard of each measure, with both uncertainties and tiers."""
    return by_measure(overview, lambda part: _of_measure(overview, part))


def _of_measure(overview: Overview, part: MeasureOverview) -> str:
    axis = axis_of(_summary(part))
    write = paragraph if part.table.defined.any() else warning
    (first, *more), (doubt, *others) = part.headline(), (*part.outlook(), "")
    # The verdict on the leader, or on the baseline, in two sentences before anything else.
    lead = write(first, *filter(None, [doubt])) + paragraph(*part.wide_by_nature(), lead=False)
    lead += paragraph(*more, lead=False) + "".join(map(paragraph, filter(None, others)))
    remarks = (*part.table.caveats(), *outside_sentence(axis), *part.what_tiers_are())
    beside = f'<div class="lead"><div>{lead}</div>{_legend(part)}</div>'
    return beside + _leaderboard(overview, part, axis) + notes(*remarks)


def _legend(part: MeasureOverview) -> str:
    """Say which bar is which."""
    keys = [("mean", "mean")] + [
        (bar_kind(uncertainty), uncertainty.words(uncertainty.shown.means.legend))
        for uncertainty in _summary(part).drawn
    ]
    said = " ".join(f'<span class="key {kind}"></span> {text}' for kind, text in keys)
    return f'<p class="legend">{said}</p>'


def _summary(part: MeasureOverview) -> Summary:
    """Return the means with all that is drawn of them: possible, plausible, over topics."""
    summary = part.table.summary()
    if part.plausible is None or not part.plausible.known.any():
        return summary
    return summary._replace(uncertainties=(*summary.uncertainties, part.plausible))


def _leaderboard(overview: Overview, part: MeasureOverview, axis: Axis) -> str:
    drawn = _summary(part).drawn
    ends = {"draws": ("plausible_low", "plausible_high")}
    shown = [(*ends.get(d.over, d.shown.means.ends), bar_kind(d)) for d in drawn]

    def bars(row: dict[str, Any]) -> Drawn:
        nested = [Bar(row[low], row[high], kind) for low, high, kind in shown]
        return Drawn(nested_bars(row["mean"], nested, axis), row["mean"])

    columns = part.leaderboard()
    same = "A tier holds runs that do not differ significantly from its first"
    share = f"Share of the first {FIRST_RANKS} documents that are judged"
    fields = [
        Field("#", "place"),
        _RUN,
        *where(overview.groups, Field("group", lambda r: overview.group_of(r["run"]), minor=True)),
        *where(part.tested, Field("tier", help=same, minor=True)),
        Field("mean", digits=4),
        Field("uncertainties", bars, markup=axis_markup(axis), help="Sort by the mean"),
        *(
            range_field(uncertainty.words(how.page), low, high, how.help)
            for uncertainty, (low, high, _) in zip(drawn, shown, strict=True)
            for how in [uncertainty.shown.means]
        ),
        *where(
            "estimate" in columns,
            Field("estimate", digits=4, help="The mean that a relevance model expects", minor=True),
        ),
        Field(f"judged@{FIRST_RANKS}", "judged_at_10", digits=2, help=share, minor=True),
        *where(
            # Where any run could lead by nature, that says nothing of one.
            any(columns["could_lead"]) and not part.wide_by_nature(),
            Field(
                "could lead",
                lambda row: _could_lead(part, row),
                help="Possible, plausible or not: judging could put it above the first run",
                minor=True,
            ),
        ),
    ]
    return sortable_table(
        fields,
        rows_of(columns),
        name=f"leaderboard-{part.measure}",
        caption=f"Runs by mean {part.measure}"
        + ("; a line separates the tiers" if part.tested else ""),
        marks=dict.fromkeys(_tier_starts(columns["tier"]), "tier-start"),
    )


def _tier_starts(tiers: Sequence[int]) -> list[int]:
    return [i for i, (above, tier) in enumerate(pairwise(tiers), start=1) if tier != above]


# ---- whether the judgments support it

_REVERSALS_LISTED = 50
_WITHOUT_A_LIST = "Where nothing is drawn, the run lacks the topic."


def judgments(overview: Overview) -> str:
    """Return what is judged of each run, and which comparisons that leaves open."""
    return by_measure(overview, _support) + _heat_map(overview)


def _support(part: MeasureOverview) -> str:
    cautions = part.cautions()
    lead = warning(*cautions) if cautions else paragraph(*part.coverage.least_sentence())
    return lead + _coverage(part) + paragraph(*part.what_could_turn()) + _reversals(part)


def _coverage(part: MeasureOverview) -> str:
    fields = [
        _RUN,
        Field(f"judged@{FIRST_RANKS}", "judged_at_10", digits=2),
        Field("judged@100", "judged_at_100", digits=2, minor=True),
        Field(
            "residual", digits=4, help=f"Width of the range of the mean {part.measure}", minor=True
        ),
        Field(
            *("first unjudged", "first_unjudged_mean"),
            digits=1,
            help="Its mean rank over topics",
            minor=True,
        ),
        Field(
            *("earliest", "first_unjudged_min"),
            help="The smallest rank of a first unjudged document",
            minor=True,
        ),
        Field(
            *("possible places", lambda row: _places(part, row)),
            help="Over every grade of the unjudged documents, and missing topics",
        ),
    ]
    caption = f"How much of each run is judged, and what that leaves open for {part.measure}"
    rows = rows_of(part.run_coverage())
    return sortable_table(fields, rows, name=f"judged-{part.measure}", caption=caption)


def _could_lead(part: MeasureOverview, row: dict[str, Any]) -> Drawn:
    """Return whether judging could put a run above the first; with the claim where it could not."""
    said = "yes" if row["could_lead"] else ""
    return Drawn(said, said, claims=() if said else part.leading_claims(row["run"]))


def _places(part: MeasureOverview, row: dict[str, Any]) -> Drawn:
    """Return the places that a run could have; one that is settled stands alone."""
    best, worst = row["best_place"], row["worst_place"]
    at = part.systems.index(row["run"])
    claims = part.place_claims[at : at + 1]
    return Drawn(f"{best} to {worst}" if best < worst else f"{best}", worst - best, claims=claims)


def _reversals(part: MeasureOverview) -> str:
    """Name the comparisons that judging could reverse, significant and large ones first."""
    pairs = [] if part.verdicts is None else rows_of(part.verdicts.reversals())
    if not pairs:
        return ""
    rows = pairs[:_REVERSALS_LISTED]
    of_difference = "Of the difference, over every grade of the unjudged documents"
    fields = [
        Field("ahead now", "better", of_runs=True),
        Field("could overtake it", "worse", of_runs=True),
        Field("difference", digits=4),
        range_field("range", "lowest", "highest", of_difference),
        *where(part.tested, p_field("p, corrected", "p_corrected", minor=True)),
    ]
    shown = "all of them" if len(rows) == len(pairs) else f"the first {len(rows)}"
    caption = f"Comparisons by {part.measure} that judging could reverse ({shown})"
    return sortable_table(fields, rows, name=f"reversible-{part.measure}", caption=caption)


def _heat_map(overview: Overview) -> str:
    coverage = overview.coverage
    title = coverage.where_unjudged()
    if not coverage.unjudged.any():
        return paragraph(title)
    if (topics := len(coverage.topics)) > MOST_TOPICS:
        counts = coverage.cell_counts()
        return figure(unjudged_density_chart(counts, title=title, topics=topics, depth=FIRST_RANKS))
    names = [coverage.topics[t] for t in coverage.topic_order().tolist()]
    chart = unjudged_chart(
        *(coverage.cells(), names),
        title=title,
        depth=FIRST_RANKS,
        caption="" if coverage.answered.all() else _WITHOUT_A_LIST,
    )
    return figure(chart)


# ---- which differences are real

_OF_TESTS = ("p", "p_corrected")
"""What is not shown where there are too few topics for a test."""


def differences(overview: Overview) -> str:
    """Return the matrix of all pairs, any pair by topic, and all runs against the baseline."""

    def draw(part: MeasureOverview) -> str:
        if part.verdicts is None:
            return ""
        return _pairs(part, part.verdicts) + _any_pair(part, overview.baseline) + _against(part)

    return paragraph(*overview.over_measures(), lead=False) + by_measure(overview, draw)


def _pairs(part: MeasureOverview, verdicts: PairVerdicts) -> str:
    left_out = ("measure",) if part.tested else ("measure", *_OF_TESTS)
    columns = {name: c for name, c in verdicts.columns().items() if name not in left_out}
    title = f"Every two runs, by what supports their order in {verdicts.comparisons.measure}"
    chart = figure(pair_chart(columns, title=title), kind="pairs")
    return paragraph(*verdicts.sentences()) + chart + notes(" ".join(verdicts.method()))


def _any_pair(part: MeasureOverview, baseline: str | None) -> str:
    """Return two lists to choose runs from, and the chart of their differences by topic."""
    names = part.leaderboard()["run"]
    first = next(name for name in names if name != baseline)
    deltas = part.table.deltas(first, baseline or names[1])
    if len(part.table.topics) > MOST_TOPICS:
        every = part.delta_densities()
        content, chart = _counts(every), _folded(deltas, every)
    else:
        content, chart = _scores(part.table), delta_chart(deltas)
    return (
        "<h3>Any two runs, topic by topic</h3>"
        f'<div class="picker">{_choice("a", names, deltas.a)}{_choice("b", names, deltas.b)}'
        f'<output class="said" aria-live="polite"></output>'
        '<a class="anchor pair" href="#differences">link to this pair</a>'
        f"{script_data(content)}</div>" + figure(chart, kind="deltas")
    )


def _folded(deltas: Deltas, every: DeltaDensities) -> Chart:
    return density_chart(
        every.between(deltas.a, deltas.b),
        title=f"{deltas.a} − {deltas.b}: {deltas.outcome}",
        of=f"difference in {deltas.measure}",
        name="deltas",
    )


def _choice(name: str, names: list[str], chosen: str) -> str:
    options = "".join(
        f"<option{' selected' if n == chosen else ''}>{escape(n)}</option>" for n in names
    )
    label = {"a": "run", "b": "minus run"}[name]
    return f'<label>{label} <select data-run="{name}">{options}</select></label>'


# Of scores and counts the page holds all, row after row, so that its script can draw any pair that
# a reader chooses.
def _scores(table: ScoreTable) -> dict[str, object]:
    return {
        "systems": table.systems,
        "topics": table.topics,
        "scores": encode({"value": table.value.ravel().tolist()})["value"],
    }


def _counts(every: DeltaDensities) -> dict[str, object]:
    return {
        "systems": every.systems,
        "width": every.width,
        "bins": every.counts.shape[1],
        "counts": every.counts.ravel().tolist(),
    }


def _against(part: MeasureOverview) -> str:
    if part.against is None:
        return ""
    baseline = str(part.against.b[0])
    fields = [
        Field("run", "a", of_runs=True),
        Field("difference", digits=4),
        range_field("95% over topics", "ci_low", "ci_high", sign="+"),
        *where(part.tested, p_field("p", minor=True), p_field("p, corrected", "p_adjusted")),
        Field("effect size", "effect_size", digits=2, minor=True),
        *(Field(name, minor=True) for name in ("wins", "ties", "losses")),
        *where(not part.unknown, Field("state")),
    ]
    rows = rows_of(part.against_baseline())
    caption = f"{part.measure} of each run minus that of {baseline}"
    return (
        f"<h3>Against the baseline, {escape(baseline)}</h3>"
        + paragraph(*part.who_beats_the_baseline())
        + sortable_table(fields, rows, name=f"against-{baseline}-{part.measure}", caption=caption)
    )


# ---- what to judge next

_TO_JUDGE = (
    Field("topic"),
    Field("document"),
    Field("best rank", "best_rank", help="The best rank that any run gives it"),
    Field("runs", help="How many runs have it in the ranks that count", minor=True),
    Field(
        "orders it moves", "moves", help="Open orders whose difference changes if it is relevant"
    ),
    Field(
        *("by, in sum", "swing"),
        digits=4,
        help="How far it moves these differences of means, in sum",
        minor=True,
    ),
)
_COMMAND = re.compile("`([^`]+)`")
"""A command among words."""


def to_judge(overview: Overview) -> str:
    """Return the documents that would settle the most; nothing where no order is open."""
    if not any(part.to_judge for part in overview):
        return ""
    return by_measure(overview, _documents_of)


def _documents_of(part: MeasureOverview) -> str:
    tables = (_documents(finding, str(part.measure)) for finding in part.to_judge)
    return "".join(tables) or paragraph(*part.nothing_to_judge())


def _documents(finding: Finding, measure: str) -> str:
    rows = rows_of(finding.columns())
    words = _COMMAND.sub(r"<code>\1</code>", paragraph(*finding.sentences()))
    if not rows:
        return words
    run = rows[0]["run"]
    caption = f"Documents to judge for the orders of {run} and other runs by {measure}"
    name = f"to-judge-{run}-{measure}"
    return words + sortable_table(_TO_JUDGE, rows, name=name, caption=caption)
