"""The figures for papers: what they show is what the tables hold."""

from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

pytest.importorskip("matplotlib")

MADE = pw.simulate(systems=6, topics=12, depth=40, rng=3)
EVIDENCE = pw.align(MADE.judgments, MADE.runs)
TABLE = pw.score(EVIDENCE, "nDCG@10")
FIGURES: dict[str, Callable[[], "Figure"]] = {
    "leaderboard": lambda: pw.plot_leaderboard(TABLE),
    "unjudged": lambda: pw.plot_unjudged(EVIDENCE),
    "pairs": lambda: pw.plot_pairs(pw.compare_evidence(EVIDENCE, "nDCG@10", draws=0)),
    "deltas": lambda: pw.plot_deltas(TABLE, "bm25-1", "ql-1"),
    "topics": lambda: pw.plot_topics(TABLE),
    "estimates": lambda: pw.plot_estimates(EVIDENCE, "nDCG@10", rng=1),
    "similarity": lambda: pw.plot_similarity(pw.findings.overlap_matrix(MADE.runs)),
    "tree": lambda: pw.plot_tree(pw.findings.cluster_runs(pw.findings.overlap_matrix(MADE.runs))),
    "power": lambda: pw.plot_power(pw.findings.collection_power(TABLE)),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("form", ["pdf", "svg", "png"])
def test_every_figure_is_saved_in_every_format(name: str, form: str) -> None:
    """A figure has a title, and can be written as PDF, SVG and PNG."""
    figure = FIGURES[name]()
    assert figure.axes[0].get_title(loc="left")
    figure.savefig(written := BytesIO(), format=form)
    assert written.tell() > 1000


def test_the_leaderboard_marks_the_means_in_order() -> None:
    """The marks stand at the means, best on top."""
    axes = FIGURES["leaderboard"]().axes[0]
    (means,) = (line.get_xdata() for line in axes.lines if line.get_label() == "mean")
    assert means == pytest.approx(np.sort(TABLE.means())[::-1])
    assert axes.get_yticklabels()[0].get_text() == TABLE.systems[TABLE.order()[0]]


def test_the_bars_of_two_runs_are_their_differences() -> None:
    """The bars are the per-topic differences, sorted, and add up to the difference of means."""
    axes = FIGURES["deltas"]().axes[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == sorted(heights, reverse=True)
    a, b = TABLE.select(["bm25-1", "ql-1"]).means()
    assert np.mean(heights) == pytest.approx(a - b)


def test_a_figure_changes_no_setting() -> None:
    """Whoever draws one of ours keeps their own style."""
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    FIGURES["topics"]()
    assert dict(mpl.rcParams) == before


def test_estimates_need_unjudged_documents() -> None:
    """Where all is judged there is nothing to estimate, and the error says so."""
    complete = pw.align(MADE.truth, MADE.runs)
    with pytest.raises(OptionError, match="no run has unjudged documents"):
        pw.plot_estimates(complete, "nDCG@10", rng=1)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Matplotlib is an extra, and the message names it."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'poolwise\[plots\]'"):
        pw.plot_topics(TABLE)
