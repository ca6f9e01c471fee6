"""The figures as they are seen: marks, colours and places, read back from the SVG.

Colours are those of the page, which its style sheet says; numbers come from the findings.
"""

import re
from functools import cache
from importlib import resources
from itertools import pairwise

import numpy as np
import pytest
from tests.views.plots.svg_reader import Mark, Panel, read_figure
from tests.views.plots.test_figures import FIGURES, FOUND, MADE, OVERVIEW, TABLE, _gains, _labelled

import poolwise as pw
from poolwise.views.plots._run_figures import _STATES
from poolwise.views.report._chart_style import STATE_COLOURS

pytest.importorskip("matplotlib")

SHEET = (resources.files("poolwise.views.report") / "page.css").read_text(encoding="utf-8")
COLOURS = dict(reversed(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", SHEET)))
"""The colours of the page by their names: the first of each, in the light."""


@cache
def panels(name: str) -> list[Panel]:
    """Return the panels of a figure, without the ground on which several stand."""
    parts = read_figure(FIGURES[name]())
    return parts if len(parts) == 1 else [panel for panel in parts if panel.marks]


def only(name: str) -> Panel:
    (panel,) = panels(name)
    return panel


def span(panel: Panel, mark: Mark) -> tuple[float, float]:
    """Return both ends of a bar along the axis below."""
    return panel.x(mark.left), panel.x(mark.right)


def rise(panel: Panel, mark: Mark) -> tuple[float, float]:
    """Return both ends of a column along the axis beside it."""
    return panel.y(mark.bottom), panel.y(mark.top)


def near(value: object) -> object:
    return pytest.approx(value, abs=2e-3)


def test_rows_are_named_from_the_top() -> None:
    """The run with the highest mean has the first row, and names stand beside their bars."""
    rows = sorted(only("leaderboard").down, key=lambda tick: tick.at)
    assert [tick.text for tick in rows] == [TABLE.systems[s] for s in TABLE.order()]


@pytest.mark.parametrize(
    ("colour", "ends"),
    [("unjudged", TABLE.mean_bounds()), ("topics", TABLE.interval(0.95))],
    ids=["range", "interval"],
)
def test_the_leaderboard_has_a_bar_for_each_run(colour: str, ends: tuple[object, object]) -> None:
    """Orange is the range over judgments, blue the interval over topics, each beside its run."""
    panel = only("leaderboard")
    drawn = {panel.row(mark): span(panel, mark) for mark in panel.of(COLOURS[colour])}
    low, high = (np.asarray(end) for end in ends)
    assert drawn == {run: near((low[s], high[s])) for s, run in enumerate(TABLE.systems)}


def test_the_leaderboard_marks_each_mean() -> None:
    """A black mark stands at the mean of the run in its row."""
    panel = only("leaderboard")
    drawn = {panel.row(m): panel.x(m.left) for m in panel.of(COLOURS["ink"], markers=True)}
    assert drawn == {r: near(m) for r, m in zip(TABLE.systems, TABLE.means(), strict=True)}


def test_topics_won_are_olive_and_topics_lost_are_plum() -> None:
    """Each bar goes from 0 to the difference on its topic, in the colour of who is ahead."""
    panel, deltas = only("deltas"), TABLE.deltas("bm25-1", "ql-1")
    by_topic = dict(zip(deltas.topics, deltas.difference.tolist(), strict=True))
    for colour, sign in (("ahead", 1), ("behind", -1)):
        drawn = {panel.column(m): rise(panel, m) for m in panel.of(COLOURS[colour])}
        wanted = {t: near((min(d, 0), max(d, 0))) for t, d in by_topic.items() if d * sign > 0}
        assert drawn == wanted
        assert drawn


@pytest.mark.parametrize("state", sorted(STATE_COLOURS.keys() - {"open"}))
def test_a_state_of_pairs_has_one_colour_in_figures_and_on_the_page(state: str) -> None:
    """What is green on the page is green on paper; only the grey of what is open differs."""
    assert _STATES[state] == COLOURS[STATE_COLOURS[state].removeprefix("var(--")[:-1]]


def test_the_legend_of_pairs_has_the_colours_of_their_states() -> None:
    """The sample before each state is what its cells are filled with."""
    legend = only("pairs").legend
    assert legend
    assert legend == {state: _STATES[state] for state in legend}


@pytest.mark.parametrize("name", ["trend", "growth"])
def test_a_box_goes_from_quarter_to_three_quarters(name: str) -> None:
    """The box is the middle half, the whisker the whole range, and the line the median."""
    panel = panels(name)[0]
    log = name == "growth"
    if log:
        growth = pw.studies.pool_growth(pw.nominate(MADE.truth, MADE.runs), [5, 20])
        numbers = {key: float(values[0]) for key, values in growth.spread()[0].items()}
    else:
        trend = pw.findings.trend_by_reference({"made": (1999, TABLE)}, "later", TABLE)
        numbers = {key: cells[0] for key, cells in trend.columns().items()}
    marks = panel.of(COLOURS["topics"])
    box = max(marks, key=lambda m: (round(m.right - m.left, 3), -m.left))
    whisker = min(marks, key=lambda m: (round(m.right - m.left, 3), m.left))
    heights = {
        "quarter": box.bottom,
        "three_quarters": box.top,
        "lowest": whisker.bottom,
        "highest": whisker.top,
    }
    if log:
        # Ticks of a logarithm are told as powers; lengths in ratio to each other say as much.
        size = (
            numbers["highest"] / numbers["lowest"],
            numbers["three_quarters"] / numbers["quarter"],
        )
        drawn = (whisker.bottom - whisker.top, box.bottom - box.top)
        assert drawn[1] / drawn[0] == near(np.log(size[1]) / np.log(size[0]))
        assert whisker.top <= box.top <= box.bottom <= whisker.bottom
        return
    assert {key: panel.y(at) for key, at in heights.items()} == {
        key: near(numbers[key]) for key in heights
    }


def test_panels_go_from_the_upper_left_in_rows() -> None:
    """The first is above the last, and those of a row stand side by side."""
    titles = {p.texts[0][0].partition(":")[0]: p.texts[0][1:] for p in panels("degradation")}
    places = [titles[name] for name in pw.studies.degrade_rankings(repeats=2).names]
    rows = [places[i : i + 3] for i in range(0, len(places), 3)]
    assert all(a[0] < b[0] for row in rows for a, b in pairwise(row))
    assert all(row[0][1] == pytest.approx(place[1]) for row in rows for place in row)
    assert [row[0][1] for row in rows] == sorted(row[0][1] for row in rows)


def favoured() -> pw.findings.LabelAgreement:
    """Return how a judge agrees who gives one run's documents the highest grade."""
    grades = MADE.judgments.to_dict()
    ranked = {topic: set(MADE.runs.ranking("ql-1", topic)[:20]) for topic in grades}
    others = {
        topic: {
            d for r in MADE.runs.systems if r != "ql-1" for d in MADE.runs.ranking(r, topic)[:20]
        }
        for topic in grades
    }
    kind = {
        topic: {d: 3 if d in ranked[topic] - others[topic] else g for d, g in graded.items()}
        for topic, graded in grades.items()
    }
    return pw.agree({"kind": kind}, against=MADE.judgments, runs=MADE.runs, resamples=10)


def test_runs_that_a_judge_favours_have_a_colour_of_their_own() -> None:
    """They are purple, as the axis says, and the others blue; each point is at its excess."""
    finding = favoured()
    (excess,) = finding.excesses.values()
    assert excess.favoured
    (panel,) = read_figure(pw.plot(finding, "excess"))
    by_colour = {
        colour: {panel.row(m): panel.x(m.left) for m in panel.of(COLOURS[colour], markers=True)}
        for colour in ("behind", "topics")
    }
    assert set(by_colour["behind"]) == set(excess.favoured)
    wanted = dict(zip(excess.systems, excess.value.tolist(), strict=True))
    assert by_colour["behind"] | by_colour["topics"] == {r: near(v) for r, v in wanted.items()}


def test_improved_runs_are_full_and_their_baselines_hollow() -> None:
    """A full blue circle stands at the mean of a run, a hollow one at that of its baseline."""
    panel, rows = only("gains"), _gains().columns()
    for colour, name in ((COLOURS["topics"], "mean"), ("#ffffff", "baseline_mean")):
        assert [panel.y(m.top) for m in panel.of(colour, markers=True)] == near(rows[name])
    assert panel.legend["improved"] == COLOURS["topics"]


def test_both_kinds_of_bias_have_the_colour_that_the_legend_gives_them() -> None:
    """Unjudged documents as not relevant lower a run: that line is plum, and below the other."""
    panel = only("pooling-bias")
    study = pw.studies.pooling_bias(MADE.truth, MADE.runs, "P@10", widths=[2, 4], pools=5)
    means = study.bias.mean(axis=(2, 3))
    for base, label in enumerate(("not relevant", "left out")):
        colour = panel.legend[f"unjudged documents {label}"]
        lines = [m for m in panel.of(colour) if m.right - m.left > 100]
        (drawn,) = [rise(panel, mark) for mark in lines]
        assert drawn == near((means[:, base].min(), means[:, base].max()))


def test_the_rate_of_what_pools_add_is_in_percent() -> None:
    """The right panel has a point for each band of ranks, at its rate."""
    rates = panels("growth")[1]
    growth = pw.studies.pool_growth(pw.nominate(MADE.truth, MADE.runs), [5, 20])
    drawn = [rates.y(mark.top) for mark in rates.of(COLOURS["ink"], markers=True)]
    assert drawn == pytest.approx(100 * growth.rates(), abs=0.1)
    assert min(drawn) > 1


def test_the_band_around_a_curve_reaches_from_bound_to_bound() -> None:
    """The light band of rank-biased overlap is as low and as high as its bounds."""
    panel, curve = only("agreement"), pw.findings.agreement_curve(MADE.runs, "bm25-1", "ql-1")
    (band,) = panel.of(COLOURS["few"])
    assert rise(panel, band) == near((curve.rbo_min.min(), curve.rbo_max.max()))
    (line,) = panel.of(COLOURS["topics"])
    assert rise(panel, line) == near((curve.rbo_ext.min(), curve.rbo_ext.max()))


def test_the_legend_names_the_runs_that_are_nearest() -> None:
    """Of more than six curves those with the highest overlap are named, the others grey."""
    made = pw.simulate(systems=9, topics=4, depth=20, rng=5)
    curves = pw.findings.persistence_curves(made.runs, made.runs.systems[0])
    nearest = np.argsort(-curves.rbo.mean(axis=1), kind="stable")[:6]
    (panel,) = read_figure(pw.plot(curves))
    assert set(panel.legend) == {curves.others[i] for i in nearest}
    assert len(panel.of("#b9bdc1")) == len(curves.others) - 6


def test_ranks_left_open_are_drawn_beside_their_runs() -> None:
    """The light bar goes from the best to the worst rank, the mark stands at the rank."""
    panel, ranks = only("ranks"), pw.findings.rank_runs(TABLE, resamples=100)
    drawn = {panel.row(mark): span(panel, mark) for mark in panel.of(COLOURS["few"])}
    ends = zip(ranks.systems, ranks.low.tolist(), ranks.high.tolist(), strict=True)
    assert drawn == {run: pytest.approx((low, high), abs=0.02) for run, low, high in ends}


def test_estimates_stand_in_their_ranges() -> None:
    """Wide orange is what is possible, narrow blue what is plausible, by the names of runs."""
    panel, estimates = only("estimates"), FOUND.estimates
    assert estimates is not None
    for name, (low, high) in estimates.ranges().items():
        drawn = {panel.row(m): span(panel, m) for m in panel.of(panel.legend[name])}
        ends = zip(estimates.systems, low.tolist(), high.tolist(), strict=True)
        assert drawn == {run: near((a, b)) for run, a, b in ends}


def test_the_tree_joins_runs_where_their_distance_is() -> None:
    """The last join is the widest, at the right end of the lines."""
    panel, tree = only("tree"), OVERVIEW.tree
    assert tree is not None
    marks = panel.of(COLOURS["topics"])
    assert panel.x(max(mark.right for mark in marks)) == near(tree.merges[-1, 2])
    assert [t.text for t in sorted(panel.down, key=lambda tick: tick.at)] == list(tree.order)


def test_every_set_of_labels_is_drawn_over_people() -> None:
    """A point for each run: to the right what people give it, upwards what the judge does."""
    agreement = _labelled()
    (seen,) = agreement.conclusions.values()
    (panel,) = panels("label-orders")
    drawn = sorted(
        (panel.x(m.left), panel.y(m.top)) for m in panel.of(COLOURS["topics"], markers=True)
    )
    wanted = sorted(zip(seen.human.tolist(), seen.machine.tolist(), strict=True))
    assert np.array(drawn) == near(np.array(wanted))
