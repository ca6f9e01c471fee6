"""U18: Moffat, Scholer, Yang, Estimating measurement uncertainty, 2018: figures, on TREC-8."""

from pathlib import Path

import numpy as np

import poolwise as pw
from reproduce.figures import draw_boxes, panels
from reproduce.results import Row, Section, numbers, pattern
from reproduce.sources import Folders, read_collection, read_deeply_judged
from reproduce.u18 import MEASURES, PAPER, READING, SHALLOW

PERSISTENCES = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)


def figure_1(folders: Folders) -> Section:
    """Plot scores and residuals of RBP over its persistence."""
    evidence = read_collection(folders.data / "trec8", "rank").evidence
    uncertainty = pw.studies.rbp_uncertainty(evidence, PERSISTENCES)
    scores, residuals = (
        list(part.reshape(len(PERSISTENCES), -1))
        for part in (uncertainty.scores, uncertainty.residuals)
    )
    path = "u18-figure-1.svg"
    with panels(folders.out / path, 1, 1) as (ax,):
        draw_boxes(ax, scores, PERSISTENCES, colour="tab:blue", shift=-0.2)
        draw_boxes(ax, residuals, PERSISTENCES, colour="tab:red", shift=0.2)
        ax.set(xlabel="φ", ylabel="RBP score (blue), residual (red)")
    near = np.arange(0.98, 0.9995, 0.001).round(3)
    crossing = pw.studies.rbp_uncertainty(evidence, near).crossing
    rows = (
        pattern(
            "φ at which the mean residual passes the mean score",
            "≈ 0.99",
            f"{crossing:.3f}",
            "about 0.99, an expected depth near that of the pool",
            holds=0.985 <= crossing <= 0.995 and 0.5 < 1 / (1 - crossing) / 100 < 2,
        ),
    )
    reading = "All 129 runs, ties by rank. The paper plots TREC-7 and TREC-13: “TREC-8 is similar”."
    return Section(PAPER, "Figure 1: RBP and its residual", rows, reading, path)


def figure_4(folders: Folders) -> Section:
    """Plot how pools, and their relevant documents, grow with depth."""
    nominations = read_deeply_judged(folders.data / "trec8").nominations
    growth = pw.studies.pool_growth(nominations, SHALLOW)
    path = "u18-figure-4.svg"
    with panels(folders.out / path, 1, 1) as (ax,):
        draw_boxes(ax, list(growth.judged), SHALLOW, shift=-0.2)
        draw_boxes(ax, list(growth.relevant), SHALLOW, colour="tab:red", shift=0.2)
        ax.set(yscale="log", xlabel="pool depth", ylabel="documents (black), relevant (red)")
    rates = growth.rates()
    row = pattern(
        "share relevant of what each step adds, %",
        "declines",
        numbers(100 * rates, 1),
        "relevant documents are found at a declining rate",
        holds=bool((np.diff(rates) < 0).all()),
    )
    return Section(PAPER, "Figure 4: growth of the pool", (row,), READING, path)


def figures_5_and_6(folders: Folders) -> Section:
    """Plot how scores move as the pool deepens, over the residual that warned of it."""
    c = read_deeply_judged(folders.data / "trec8")
    movements = pw.studies.movement(c.judgments, c.runs, MEASURES)
    path = "u18-figures-5-6.svg"
    _plot_movement(folders.out / path, movements)
    published = {"AP": "0.18, 0.14", "nDCG": "0.16, 0.08", "RBP(p=0.98)": "−0.19, −0.23"}
    rows = [
        pattern(
            f"τ of residual and ratio, {movement.measure} (published: TREC-7, TREC-13)",
            published[str(movement.measure)],
            numbers(movement.correlation(relative=True), 2),
            "weak, of this sign, and stronger than with differences "
            f"({movement.correlation():.2f} here)",
            holds=_as_published(movement, published[str(movement.measure)]),
        )
        for movement in movements
    ]
    rows += [_signs(movement) for movement in movements]
    rows += [_directions(movement) for movement in movements]
    title = "Figures 5 and 6: movement of scores"
    return Section(PAPER, title, tuple(rows), READING, path)


def _plot_movement(path: Path, movements: pw.studies.ByMeasure[pw.studies.ScoreMovement]) -> None:
    with panels(path, 2, 3) as axes:
        for top, below, movement in zip(axes[:3], axes[3:], movements, strict=True):
            moved = movement.differences.reshape(len(SHALLOW), -1)
            draw_boxes(top, list(moved), SHALLOW)
            top.set(title=str(movement.measure), xlabel="pool depth", ylabel="score − score at 50")
            for depth, x, y in zip(SHALLOW, movement.residuals, moved, strict=True):
                below.plot(x.ravel(), y, ",", label=str(depth), rasterized=True)
            below.set(xlabel="residual of RBP(0.98)", ylabel="score − score at 50")


def _signs(movement: pw.studies.ScoreMovement) -> Row:
    """Put to the test what §3.7 says of figure 6: the sign of τ with plain differences."""
    tau, weighted = movement.correlation(), movement.measure.name == "RBP"
    return pattern(
        f"τ of residual and difference, {movement.measure} (published: TREC-7, TREC-13)",
        "small and below 0" if weighted else "small and positive",
        numbers(tau, 2),
        "of this sign, though weak",
        holds=tau < 0 if weighted else tau > 0,
    )


def _directions(movement: pw.studies.ScoreMovement) -> Row:
    """Say how many scores fall, and how many rise, as judgments are added."""
    moved = movement.differences[0]
    fall, rise = float((moved > 1e-12).mean()), float((moved < -1e-12).mean())
    weighted = movement.measure.name == "RBP"
    return pattern(
        f"share of scores that fall, rise from d′ = 5 to 50, {movement.measure}",
        "never fall" if weighted else "mostly fall",
        numbers([fall, rise], 2),
        "RBP never falls as judgments are added; AP and nDCG mostly do",
        holds=fall == 0 if weighted else fall > 0.5,
    )


def _as_published(movement: pw.studies.ScoreMovement, published: str) -> bool:
    relative, absolute = movement.correlation(relative=True), movement.correlation()
    negative = published.startswith("−")
    return (relative < 0) == negative and abs(absolute) < abs(relative) < 0.3


SECTIONS = (figure_1, figure_4, figures_5_and_6)
