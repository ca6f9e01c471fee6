"""The figures: what they show is what the findings hold."""

from collections.abc import Callable
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import MissingExtraError, OptionError
from poolwise.findings.history._entries import Entry
from poolwise.findings.history._trend import published_gains
from poolwise.views.plots._style import AHEAD, BEHIND

if TYPE_CHECKING:
    from matplotlib.figure import Figure

pytest.importorskip("matplotlib")

MADE = pw.simulate(systems=6, topics=12, depth=40, rng=3)
JUDGED = MADE.judgments.to_dict()
OVERVIEW = pw.report(MADE.judgments, MADE.runs, ["nDCG@10"])
FOUND = OVERVIEW["nDCG@10"]
TABLE = FOUND.table


@cache
def _left_out() -> pw.studies.LeaveOutStudy:
    return pw.studies.leave_out(
        MADE.judgments,
        MADE.runs,
        ["P@10"],
        reduction=pw.studies.LeaveOut(depth=10),
        treatments=[pw.scores.RelevanceModelTreatment(draws=20)],
    )


@cache
def _design() -> pw.findings.ExperimentDesign:
    return pw.workflows.design_from_runs(
        MADE.truth, MADE.runs, depths=[5, 10, 40], rng=1, simulations=200
    )


@cache
def _inclusion() -> pw.findings.TopicInclusion:
    return pw.findings.topic_inclusion(
        TABLE, "bm25-1", "ql-1", delta=0.2, rng=1, start=3, simulations=200
    )


@cache
def _references() -> pw.studies.ReferenceStability:
    return pw.studies.reference_stability(TABLE, TABLE, sizes=[2, 4], samples=20)


@cache
def _over_time() -> pw.studies.SimilarityOverTime:
    dated = {name: (name[:2], f"2026-11-0{i + 1}") for i, name in enumerate(MADE.runs.systems)}
    both = [name for name, (system, _) in dated.items() if system in {"bm", "ql"}]
    return pw.studies.similarity_over_time(MADE.runs.select(both), dated)


@cache
def _pooling_bias() -> pw.studies.PoolingBias:
    return pw.studies.pooling_bias(MADE.truth, MADE.runs, "P@10", widths=[2, 4], pools=5)


@cache
def _draws() -> pw.scores.DrawnScores:
    evidence = pw.align(MADE.judgments, MADE.runs)
    draws = pw.scores.bootstrap(evidence, "nDCG@10", draws=50)
    return draws.at(MADE.runs.systems[-1], evidence.topics[0])


@cache
def _powers() -> pw.studies.DepthStudy:
    forms = ["normalized", "expanded"]
    return pw.studies.depths(
        MADE.truth, MADE.runs, ["AP"], pool_depths=[5, 20], depths=[5, 20], forms=forms
    )


@cache
def _movement() -> pw.studies.ByMeasure[pw.studies.ScoreMovement]:
    return pw.studies.movement(MADE.truth, MADE.runs, ["AP"], pool_depths=[5, 10], reference=40)


@cache
def _persistence() -> pw.studies.PersistenceStudy:
    evidence = pw.align(MADE.judgments, MADE.runs)
    matches = [pw.studies.match_persistence(evidence, m) for m in ("AP", "P@5")]
    by_topic = [pw.studies.match_persistence_by_topic(evidence, "AP")]
    return pw.studies.PersistenceStudy.of(matches, by_topic)


def _gains() -> pw.findings.PublishedGains:
    means = dict(zip(TABLE.systems, TABLE.means().tolist(), strict=True))
    first, *others = TABLE.systems
    entries = [Entry("made", "3f5a", name, "scored", 1999, original=True) for name in others]
    late = Entry("made", "3f5a", first, "scored", 2005, baseline=others[0])
    return published_gains([late, *entries], means, measure=TABLE.measure)


FIGURES: dict[str, Callable[..., "Figure"]] = {
    "leaderboard": lambda **o: pw.plot(TABLE, **o),
    "unjudged": lambda **o: pw.plot(OVERVIEW, **o),
    "pareto": lambda **o: pw.plot(_beside(), **o),
    "pairs": lambda **o: pw.plot(FOUND.comparisons, **o),
    "deltas": lambda **o: pw.plot(TABLE, "deltas", a="bm25-1", b="ql-1", **o),
    "topics": lambda **o: pw.plot(TABLE, "topics", **o),
    "estimates": lambda **o: pw.plot(FOUND.estimates, **o),
    "reliability": lambda **o: pw.plot(_left_out(), **o),
    "pooling-bias": lambda **o: pw.plot(_pooling_bias(), **o),
    "undiscovered": lambda **o: pw.plot(
        pw.studies.relevant_beyond(pw.nominate(MADE.truth, MADE.runs), 20), **o
    ),
    "similarity": lambda **o: pw.plot(OVERVIEW.overlap, **o),
    "tree": lambda **o: pw.plot(OVERVIEW.tree, **o),
    "power": lambda **o: pw.plot(FOUND.power, **o),
    "designs": lambda **o: pw.plot(_design(), **o),
    "depths": lambda **o: pw.plot(_design(), "depths", **o),
    "inclusion": lambda **o: pw.plot(_inclusion(), **o),
    "intensity": lambda **o: pw.plot(pw.findings.score_intensity(TABLE), **o),
    "densities": lambda **o: pw.plot(pw.findings.score_densities(TABLE), **o),
    "histogram": lambda **o: pw.plot(pw.findings.score_histogram(TABLE), **o),
    "item-totals": lambda **o: pw.plot(pw.findings.item_total_correlations(TABLE), **o),
    "references": lambda **o: pw.plot(_references(), **o),
    "agreement": lambda **o: pw.plot(pw.findings.agreement_curve(MADE.runs, "bm25-1", "ql-1"), **o),
    "persistences": lambda **o: pw.plot(pw.findings.persistence_curves(MADE.runs, "ql-1"), **o),
    "time": lambda **o: pw.plot(_over_time(), **o),
    "degradation": lambda **o: pw.plot(pw.studies.degrade_rankings(repeats=2), **o),
    "recall": lambda **o: pw.plot(
        pw.findings.recall_precision(pw.align(MADE.judgments, MADE.runs)), **o
    ),
    "weights": lambda **o: pw.plot(pw.findings.rank_weights(), **o),
    "draws": lambda **o: pw.plot(_draws(), **o),
    "powers": lambda **o: pw.plot(_powers(), **o),
    "movement": lambda **o: pw.plot(_movement(), **o),
    "uncertainty": lambda **o: pw.plot(
        pw.studies.rbp_uncertainty(pw.align(MADE.judgments, MADE.runs)), **o
    ),
    "gain-models": lambda **o: pw.plot(
        pw.studies.compare_gain_models(pw.align(MADE.truth, MADE.runs), depth=10), **o
    ),
    "convergence": lambda **o: pw.plot(
        pw.studies.converge_bounds(
            MADE.truth, MADE.runs, run="ql-1", topic=MADE.truth.topics[0], pool_depths=[5, 40]
        ),
        **o,
    ),
    "growth": lambda **o: pw.plot(
        pw.studies.pool_growth(pw.nominate(MADE.truth, MADE.runs), [5, 20]), **o
    ),
    "label-orders": lambda **o: pw.plot(_labelled(), **o),
    "excess": lambda **o: pw.plot(_labelled(), "excess", **o),
    "confusion": lambda **o: pw.plot(_labelled(), "confusion", **o),
    "ranks": lambda **o: pw.plot(pw.findings.rank_runs(TABLE, resamples=100), **o),
    "trend": lambda **o: pw.plot(
        pw.findings.trend_by_reference({"made": (1999, TABLE)}, "later", TABLE), **o
    ),
    "gains": lambda **o: pw.plot(_gains(), **o),
    "persistence": lambda **o: pw.plot(_persistence(), **o),
    "persistence-by-topic": lambda **o: pw.plot(_persistence(), "persistence-by-topic", **o),
}


@cache
def _beside() -> pw.findings.QualityBeside:
    """Return quality beside a latency by topic."""
    rows = [
        {"run": run, "topic": topic, "ms": 3 * n + len(topic) + int(topic) % 3}
        for n, run in enumerate(MADE.runs.systems)
        for topic in MADE.runs.topics
    ]
    result = pw.workflows.evaluate_beside(MADE.judgments, MADE.runs, "P@5", beside=rows, draws=0)
    return result.parts[0]


@cache
def _labelled() -> pw.findings.LabelAgreement:
    """Return how a judge that is too kind to every document agrees with the truth."""
    kind = {t: {d: min(g + 1, 3) for d, g in graded.items()} for t, graded in JUDGED.items()}
    return pw.agree({"kind": kind}, against=MADE.judgments, runs=MADE.runs, resamples=10)


def names(ticks: list[Any]) -> list[str]:
    """Return the texts of tick labels."""
    return [tick.get_text() for tick in ticks]


def test_every_kind_is_drawn_here() -> None:
    """The one list of plots holds what these tests draw, with a word on each."""
    assert set(FIGURES) == set(pw.views.PLOTS)
    assert all(kind.summary and kind.parts for kind in pw.views.PLOTS.values())


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("form", ["pdf", "svg", "png"])
def test_every_figure_is_saved_in_every_format(name: str, form: str) -> None:
    """A figure has a title, and can be written as PDF, SVG and PNG."""
    figure = FIGURES[name]()
    assert figure.axes[0].get_title(loc="left")
    figure.savefig(written := BytesIO(), format=form)
    assert written.tell() > 1000


@pytest.mark.parametrize("name", FIGURES)
def test_title_size_and_axes_can_be_given(name: str) -> None:
    """A caller may say the title and the size, or draw into axes of their own."""
    from matplotlib.figure import Figure

    figure = FIGURES[name](title="Mine", size=(4, 3))
    assert figure.axes[0].get_title(loc="left") == "Mine"
    assert tuple(figure.get_size_inches()) == (4, 3)
    own = Figure()
    axes = own.subplots(1, 2)
    assert FIGURES[name](ax=axes[1]) is own
    assert axes[1].get_title(loc="left")
    assert not axes[0].has_data()


def test_a_notebook_shows_a_figure_without_magic() -> None:
    """A figure that is the value of a cell is a picture."""
    assert FIGURES["power"]()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined] # ours


def test_the_leaderboard_marks_the_means_in_order() -> None:
    """The marks stand at the means, best on top."""
    axes = FIGURES["leaderboard"]().axes[0]
    (means,) = (line.get_xdata() for line in axes.lines if line.get_label() == "mean")
    assert means == pytest.approx(np.sort(TABLE.means())[::-1])
    assert names(axes.get_yticklabels()) == [TABLE.systems[s] for s in TABLE.order()]


def test_the_leaderboard_draws_both_ranges() -> None:
    """Orange bars go from lower to upper bound, blue lines over the interval."""
    axes, order = FIGURES["leaderboard"]().axes[0], TABLE.order()
    lower, upper = TABLE.mean_bounds()
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert np.array(bars) == pytest.approx(np.stack([lower[order], upper[order]], axis=1))
    low, high = TABLE.interval(0.9)
    lines = pw.plot(TABLE, level=0.9).axes[0].collections[0].get_segments()
    ends = [(start[0], stop[0]) for start, stop in lines]
    assert np.array(ends) == pytest.approx(np.stack([low[order], high[order]], axis=1))


def test_the_bars_of_two_runs_are_their_differences() -> None:
    """The bars are the per-topic differences, sorted, and add up to the difference of means."""
    axes = FIGURES["deltas"]().axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == sorted(heights, reverse=True)
    a, b = TABLE.select(["bm25-1", "ql-1"]).means()
    assert np.mean(heights) == pytest.approx(a - b)
    assert names(axes.get_xticklabels()) == list(TABLE.deltas("bm25-1", "ql-1").topics)
    from matplotlib.colors import to_rgba

    ahead, behind = (
        {bar.get_facecolor() for bar in axes.patches if sign * bar.get_height() > 0}
        for sign in (1, -1)
    )
    assert ahead == {to_rgba(AHEAD)}
    assert behind == {to_rgba(BEHIND)}


def test_a_sentence_above_long_names_stays_on_the_figure() -> None:
    """Names of runs may leave little room: the title is then broken into lines."""
    names = [f"a-run-with-a-name-as-long-as-some-are-{i}" for i in range(3)]
    table = pw.ScoreTable.from_matrix(
        [[0.1, 0.2], [0.3, 0.4], [0.5, 0.5]], systems=names, topics="12", measure="nDCG@10"
    )
    figure = pw.plot(table)
    figure.draw_without_rendering()
    title = figure.axes[0].get_tightbbox()
    assert title is not None
    assert title.x1 <= figure.bbox.x1 + 1


def test_the_pairs_have_the_colours_of_their_verdicts() -> None:
    """The cell of each pair has the colour that the legend gives to its verdict."""
    figure = FIGURES["pairs"]()
    axes, columns = figure.axes[0], FOUND.verdicts.columns()  # type: ignore[union-attr] # there
    legend = figure.legends[0]
    colour = {
        text.get_text(): patch.get_facecolor()[:3]
        for patch, text in zip(legend.get_patches(), legend.get_texts(), strict=True)
    }
    image = axes.images[0].get_array()
    rows, across = names(axes.get_yticklabels()), names(axes.get_xticklabels())
    assert rows == across
    for better, worse, state in zip(
        columns["better"], columns["worse"], columns["state"], strict=True
    ):
        cell = image[rows.index(better), across.index(worse)]
        assert tuple(cell) == pytest.approx(colour[state])
    title = " ".join(axes.get_title(loc="left").split())
    assert title in FOUND.verdicts.comparisons.headline()  # type: ignore[union-attr] # there


def test_the_heat_map_has_the_unjudged_documents() -> None:
    """Each cell is the share of unjudged documents among the first ten of a list."""
    axes, coverage = FIGURES["unjudged"]().axes[0], OVERVIEW.coverage
    image = np.asarray(axes.images[0].get_array())
    rows, across = names(axes.get_yticklabels()), names(axes.get_xticklabels())
    for run, topic, unjudged in zip(*coverage.cells().values(), strict=True):
        assert image[rows.index(run), across.index(topic)] == pytest.approx(unjudged / 10)


def test_topics_and_estimates_are_drawn_where_they_are() -> None:
    """Medians stand at the medians, means by treatment at the means, best bounds around them."""
    axes, spread = FIGURES["topics"]().axes[0], TABLE.topic_spread()
    assert axes.lines[0].get_ydata() == pytest.approx(np.array(spread["median"]))
    bars = [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in axes.patches]
    ends = zip(spread["quarter"], spread["three_quarters"], strict=True)
    assert np.array(bars) == pytest.approx(np.array(list(ends)))
    axes, estimates = FIGURES["estimates"]().axes[0], FOUND.estimates
    assert estimates is not None
    drawn = {line.get_label(): line.get_xdata() for line in axes.lines}
    assert drawn.keys() == estimates.means.keys()
    for name, means in estimates.means.items():
        assert drawn[name] == pytest.approx(means)
    segments = np.array(axes.collections[0].get_segments())[:, :, 0]
    assert segments == pytest.approx(np.stack([estimates.lower, estimates.upper], axis=1))


def test_similar_runs_are_drawn_side_by_side() -> None:
    """The matrix has the order of the tree, and the tree its lines."""
    overlap, tree = OVERVIEW.overlap, OVERVIEW.tree
    assert overlap is not None
    assert tree is not None
    axes = FIGURES["similarity"]().axes[0]
    assert names(axes.get_yticklabels()) == list(tree.order)
    image = np.asarray(axes.images[0].get_array())
    at = [overlap.systems.index(name) for name in tree.order]
    assert image == pytest.approx(overlap.ext[np.ix_(at, at)])
    lines = FIGURES["tree"]().axes[0].lines
    assert len(lines) == 3 * (len(tree.order) - 1)
    assert max(line.get_xdata()[1] for line in lines) == pytest.approx(tree.merges[-1, 2])


def power_ends(power: pw.findings.CollectionPower) -> tuple[float, float]:
    """Return what is detected at both deviations."""
    return power.detectable_median, power.detectable_95


def test_power_curves_pass_through_what_is_detected() -> None:
    """At the collection's own number of topics, the curves are at its detectable differences."""
    power = FOUND.power
    assert power is not None
    axes = FIGURES["power"]().axes[0]
    for line, end in zip(axes.lines, power_ends(power), strict=False):
        x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
        assert np.interp(12, x, y) == pytest.approx(end, rel=0.02)
    assert axes.lines[2].get_xdata()[0] == power.topics


def test_the_usual_plot_of_each_finding() -> None:
    """What is drawn without a kind goes by the type, and parts of a report can be had from it."""
    result = pw.evaluate(MADE.judgments, MADE.runs, ["P@5", "AP"])
    assert pw.plot(result).axes[0].get_xlabel() == "mean P@5"
    assert pw.plot(FOUND).axes[0].get_xlabel() == "mean nDCG@10"
    assert pw.plot(FOUND, "power").axes[0].get_xlabel() == "topics"
    assert pw.plot(TABLE.deltas("bm25-1", "ql-1")).axes[0].get_xlabel() == "topic"
    evidence = pw.align(judgments=MADE.judgments, runs=MADE.runs)
    estimates = pw.scores.estimate_all(evidence, "nDCG@10", treatments=["condensed", "exact"])
    figure = pw.plot(estimates)
    assert [line.get_label() for line in figure.axes[0].lines] == ["condensed", "nonrelevant"]


def test_what_cannot_be_drawn_is_refused() -> None:
    """Errors say which kinds there are, which fit, and what is missing."""
    with pytest.raises(OptionError, match=r"no plot of str\. Hint: use one of ScoreTable"):
        pw.plot("a table")
    with pytest.raises(OptionError, match="'bars' is not known"):
        pw.plot(TABLE, "bars")
    with pytest.raises(OptionError, match=r"'pairs' is no plot of ScoreTable\. Hint: use"):
        pw.plot(TABLE, "pairs")
    with pytest.raises(OptionError, match="a, b: 'deltas' takes two runs"):
        pw.plot(TABLE, "deltas")
    with pytest.raises(
        OptionError, match=r"level: 'topics' has no such option\. Hint: .*leaderboard"
    ):
        pw.plot(TABLE, "topics", level=0.9)
    with pytest.raises(OptionError, match="a: 'leaderboard' has no such option"):
        pw.save_plot(TABLE, "board.pdf", a="bm25-1")


def test_plots_are_saved_by_the_ending_of_the_file(tmp_path: Path) -> None:
    """The ending says the format, and one that is not known is refused before anything."""
    for form in ("pdf", "svg", "png"):
        pw.save_plot(TABLE, tmp_path / f"board.{form}", size=(4, 3), title="")
        assert (tmp_path / f"board.{form}").stat().st_size > 1000
    with pytest.raises(OptionError, match=r"'docx' is not known\. Hint: use one of"):
        pw.save_plot(TABLE, tmp_path / "board.docx")
    assert not (tmp_path / "board.docx").exists()


@pytest.mark.parametrize("kind", ["leaderboard", "pairs"])
def test_many_runs_stay_readable(kind: str) -> None:
    """With 129 runs, names are at least 5 points and do not run into each other."""
    rng = np.random.default_rng(1)
    scores = rng.beta(2, 3, (129, 5))
    runs = [f"run-{i}" for i in range(129)]
    table = pw.ScoreTable.from_matrix(scores, systems=runs, topics="12345", measure="AP")
    figure = pw.plot(table if kind == "leaderboard" else pw.compare_scores(table))
    figure.canvas.draw()
    labels = figure.axes[0].get_yticklabels()
    assert len(labels) == 129
    assert min(label.get_fontsize() for label in labels) >= 5
    boxes = [label.get_window_extent() for label in labels]
    above = (b.y1 <= a.y0 + 0.35 * a.height for a, b in pairwise(boxes))
    assert all(above)


def test_a_figure_changes_no_setting() -> None:
    """Whoever draws one of ours keeps their own style."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    FIGURES["topics"]()
    assert dict(mpl.rcParams) == before


def test_estimates_need_unjudged_documents() -> None:
    """Where all is judged there is nothing to estimate, and the error says so."""
    complete = pw.report(MADE.truth, MADE.runs, ["nDCG@10"])["nDCG@10"]
    with pytest.raises(OptionError, match="no run has unjudged documents"):
        pw.plot(complete, "estimates")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib is an extra, and the message names it."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'poolwise\[plots\]'"):
        pw.plot(TABLE)


def test_a_legend_of_long_names_stays_on_the_figure() -> None:
    """Long labels stand in fewer columns, so that none is cut off at the sides."""
    days = {n: (f"{n[:2]}-engine-of-a-long-name", f"2026-11-0{i + 1}")
            for i, n in enumerate(MADE.runs.systems) if n[:2] in {"bm", "ql"}}  # fmt: skip
    figure = pw.plot(pw.studies.similarity_over_time(MADE.runs.select(list(days)), days))
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0
    assert box.x1 <= figure.bbox.x1


def test_one_peak_does_not_press_other_densities_down() -> None:
    """A run with hardly a score above 0 has its peak cut, and the legend says how high it is."""
    scores = np.vstack([np.random.default_rng(1).beta(2, 3, (3, 40)), np.full(40, 1e-3)])
    scores[3, 0] = 2e-3
    table = pw.ScoreTable.from_matrix(
        scores, systems="abcd", topics=[str(t) for t in range(40)], measure="AP"
    )
    densities = pw.findings.score_densities(table, "systems", runs=list("abcd"))
    axes = pw.plot(densities).axes[0]
    others = max(float(np.max(curve.density)) for curve in densities.curves[:3])
    assert axes.get_ylim()[1] < 4 * others
    legend = axes.get_legend()
    assert legend is not None
    assert "d (peak at " in legend.get_texts()[3].get_text()
