"""W10 chapter 7: similarity of rankings and effectiveness (figure 7.9)."""

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.figures import panels
from reproduce.results import Row, Section, numbers, pattern
from reproduce.sources import Folders
from reproduce.w10_measures import PAPER


def figure_7_9(folders: Folders) -> Section:
    """Degrade an ideal ranking by swaps, and correlate its AP with its similarity to the ideal."""
    made = pw.studies.degrade_rankings(rng=1)
    ap, similarities = made.ap, dict(zip(made.names, made.similarity, strict=True))
    taus = {name: float(pw.correlate(ap, values)) for name, values in similarities.items()}
    path = "w10-figure-7-9.svg"
    with panels(folders.out / path, 3, 3) as axes:
        for ax, (name, values) in zip(axes, similarities.items(), strict=True):
            ax.plot(values, ap, ".", markersize=1, rasterized=True)
            ax.set(title=f"{name}: τ = {taus[name]:.2f}", xlabel="similarity", ylabel="AP")
    rows = _rows(taus, {name: _tau_at_top(ap, values) for name, values in similarities.items()})
    reading = (
        "An ideal ranking of 10 relevant and 90 other documents, 25 swaps of a relevant with "
        "another at random, 100 times, seed 1. KD is 1 − Kendall's distance of the prefixes. The "
        "values of p and the depths are ours; the figure's own τ stand in the plot alone. τ: over "
        "all rankings, and over those with AP above 0.7."
    )
    return Section(PAPER, "Figure 7.9: similarity and AP", rows, reading, path)


def _tau_at_top(ap: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    return float(pw.correlate(ap[ap > 0.7], values[ap > 0.7]))


def _rows(taus: dict[str, float], top: dict[str, float]) -> tuple[Row, ...]:
    """Test what §7.4.3 says of the three kinds of measure."""
    kinds = ("KD", "RBO", "AO")
    of = {kind: [name for name in taus if name.startswith(kind)] for kind in kinds}
    every = {kind: [taus[name] for name in of[kind]] for kind in kinds}
    lost = {kind: [taus[name] - top[name] for name in of[kind]] for kind in kinds}
    spread = {kind: max(every[kind]) - min(every[kind]) for kind in kinds}
    claims = {
        "KD": (
            "at best weaker than the best of the top-weighted ones; best cut at 10, poor at 100",
            max(every["KD"]) < min(max(every["RBO"]), max(every["AO"]))
            and every["KD"] == sorted(every["KD"])[::-1],
        ),
        "RBO": (
            "whatever its p, it loses less at high similarity than Kendall's distance",
            max(lost["RBO"]) < min(lost["KD"]),
        ),
        "AO": ("depends on the depth at least as much as RBO on p", spread["AO"] >= spread["RBO"]),
    }
    return tuple(
        pattern(
            ", ".join(of[kind]),
            "stated",
            f"{numbers(every[kind], 2)}; {numbers([top[name] for name in of[kind]], 2)}",
            claim,
            holds=holds,
        )
        for kind, (claim, holds) in claims.items()
    )


SECTIONS = (figure_7_9,)
