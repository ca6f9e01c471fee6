"""D10: Webber, Moffat, Zobel, Effect of pooling and evaluation depth, 2010: figures, on TREC-8."""

from pathlib import Path

import numpy as np

import poolwise as pw
from reproduce.d10 import PAPER, power, shallow_and_deep
from reproduce.figures import panels
from reproduce.results import Row, Section, checked, compare, numbers, pattern
from reproduce.sources import Folders, read_collection, read_properties

FIGURE_4 = {
    "standardized AP, pool 100, depth 100": ("SP", "standardized", 100, 100, 0.716),
    "standardized AP, pool 10, depth 10": ("SP", "standardized", 10, 10, 0.660),
    "recall, pool 100, depth 100": ("R", "given", 100, 100, 0.676),
    "recall, pool 10, depth 10": ("R", "given", 10, 10, 0.603),
    "nDCG, pool 20, depth 20": ("DCG(dcg='jk')", "normalized", 20, 20, 0.669),
    "nDCG, pool 5, depth 20": ("DCG(dcg='jk')", "normalized", 5, 20, 0.675),
}
POOLS = (5, 10, 20, 50, 100)
DEPTHS = (5, 10, 20, 50, 100, 200, 500, 1000)


def figure_1(folders: Folders) -> Section:
    """Sum the weights of measures between ranks 101 and 1,000, and count topics with R > 100."""
    weights = {
        "DCG@1000": pw.DCG(dcg="jk").weights(1000),
        "RBP, p = 0.9977, base": pw.RBP(p=0.9977).weights(1000),
    }
    published = {"DCG@1000": 82, "RBP, p = 0.9977, base": 77}
    rows = []
    for name, weight in weights.items():
        share = 100 * weight[100:].sum() / weight.sum()
        what = f"% of weight from 101 to 1,000: {name}"
        rows.append(compare(what, published[name], share, digits=0))
    folder = folders.data / "trec8"
    evidence = read_collection(folder).evidence
    many = int((evidence.relevant(1) > 100).sum())
    rows.append(compare("§4.2: topics of TREC-8 with more than 100 relevant", 20, many, digits=0))
    rows += _runset(folder, evidence)
    return Section(PAPER, "Figure 1, §3.3 and §4.2: weight beyond the pool, the runs", tuple(rows))


def _runset(folder: Path, evidence: pw.Evidence) -> list[Row]:
    """Compare what §3.3 says of the runs of TREC-8."""
    kind, group = (read_properties(folder, column) for column in ("type", "group"))
    manual = sum(value == "manual" for value in kind.values())
    scores = pw.score(evidence, "P@10", bounds="none")
    order = [kind[scores.systems[i]] for i in scores.order().tolist()]
    first = next(i for i, value in enumerate(order) if value != "manual")
    return [
        compare("§3.3: runs, manual runs", (129, 13), (len(kind), manual), digits=0),
        compare("§3.3: best systems by P@10 that are manual", 11, first, digits=0),
        compare(
            "§3.3: groups",
            40,
            len(set(group.values())),
            digits=0,
            remark="by the list of runs at hand: see errata, as a question",
        ),
    ]


def figure_2(folders: Folders) -> Section:
    """Plot shallow, extended and deep nDCG against each other."""
    shallow, extended, deep = (
        s for s in shallow_and_deep(folders).settings if s.family.name == "nDCG"
    )
    published = {
        "shallow, extended": (shallow, extended, 0.874),
        "shallow, deep": (shallow, deep, 0.857),
        "extended, deep": (extended, deep, 0.939),
    }
    rows = [
        compare(name, tau, pw.correlate(a.means, b.means, method="tau_b"))
        for name, (a, b, tau) in published.items()
    ]
    path = "d10-figure-2.svg"
    with panels(folders.out / path, 1, 3) as axes:
        for ax, (name, (a, b, _)) in zip(axes, published.items(), strict=True):
            ax.plot(a.means, b.means, ".", markersize=3)
            ax.set(xlabel=name.split(", ")[0], ylabel=name.split(", ")[1])
    reading = (
        "τ_b of the mean nDCG (jk) of 129 runs. Shallow: pool and evaluation to depth 10; deep: "
        "both to 100; extended: pool 10, evaluation 100."
    )
    return Section(PAPER, "Figure 2: nDCG beyond the pool", tuple(rows), reading, path)


def figure_3(folders: Folders) -> Section:
    """Plot abbreviated against expanded normalization, and test what the text says of it."""
    study = _study(folders, ["AP", "nDCG(dcg='jk')"], ["expanded", "normalized"])
    rows = [_beyond(study, family) for family in ("AP", "nDCG(dcg='jk')")]
    path = "d10-figure-3.svg"
    _plot(folders, study, path)
    return Section(PAPER, "Figure 3: expanded and abbreviated normalization", tuple(rows), "", path)


def _beyond(study: pw.studies.DepthStudy, family: str) -> Row:
    """Say whether pooling beyond depth 5 hurts the expanded form and not the abbreviated one."""
    at = {
        (s.form, s.pool_depth): power(s.pvalues)
        for s in study.settings
        if str(s.family) == family and s.depth == 5
    }
    ends = {form: (at[form, 5], at[form, 100]) for form in ("expanded", "normalized")}
    text = ", ".join(f"{form} {a:.3f} → {b:.3f}" for form, (a, b) in ends.items())
    lost = {form: a - b for form, (a, b) in ends.items()}
    return pattern(
        f"{family}, depth 5, pool 5 → 100",
        "expanded falls, abbreviated does not",
        text,
        "at depth 5, pooling to 100 costs the expanded form power, the abbreviated one none",
        holds=lost["expanded"] > 0.01 > lost["normalized"],
    )


def figure_4(folders: Folders) -> Section:
    """Plot discriminative power over pool and evaluation depth; compare what the text states."""
    of_r = _study(folders, ["R"], ["given"])
    three = _study(
        folders, ["P", "SP", "DCG(dcg='jk')", "RBP"], ["raw", "normalized", "standardized"]
    )
    settings = (*of_r.settings, *three.settings)
    powers = {(s.family, s.form, s.pool_depth, s.depth): power(s.pvalues) for s in settings}
    rows = [
        compare(name, value, powers[pw.parse_measure(m, complete=False), form, pool, depth])
        for name, (m, form, pool, depth, value) in FIGURE_4.items()
    ]
    rows += _far_beyond(settings)
    path = "d10-figure-4.svg"
    _plot(folders, pw.studies.DepthStudy(of_r.systems, settings), path)
    same = checked(
        "SP is AP without its divisor, so that standardized SP is standardized AP",
        holds=_standardized_alike(folders),
    )
    reading = (
        f"{same}; factors from the 129 runs themselves; RBP leaves a residual of 0.1 at the depth."
    )
    return Section(PAPER, "Figure 4: discriminative power", tuple(rows), reading, path)


def _standardized_alike(folders: Folders) -> bool:
    """Say whether AP and SP, standardized by the runs themselves, are the same."""
    evidence = read_collection(folders.data / "trec8").evidence
    ap, sp = (pw.standardize(pw.score(evidence, name, bounds="none")) for name in ("AP", "SP"))
    return len(ap.systems) == 129 and bool(np.allclose(ap.value, sp.value, atol=1e-12))


def _far_beyond(settings: tuple[pw.studies.DepthSetting, ...]) -> list[Row]:
    """Say what evaluating to depth 1,000 on a pool of depth 5 does (§4.2)."""
    rises = {"SP normalized": True, "SP standardized": True, "P raw": False, "RBP raw": False}
    rows = []
    for name, rising in rises.items():
        family, form = name.split()
        line = [
            power(s.pvalues)
            for s in settings
            if s.family.name == family and (s.form, s.pool_depth) == (form, 5)
        ]
        rows.append(
            pattern(
                f"{name}, pool 5: highest power, and at depth 1,000",
                "rises or levels off" if rising else "falls",
                numbers([max(line), line[-1]]),
                "AP rises all the way, to 0.002, on a pool of depth 5; P and RBP fall",
                holds=min(np.diff(line)) > -0.002 if rising else max(line) - line[-1] >= 0.002,
            )
        )
    return rows


def _study(folders: Folders, measures: list[str], forms: list[str]) -> pw.studies.DepthStudy:
    c = read_collection(folders.data / "trec8")
    return pw.studies.depths(
        c.judgments, c.runs, measures, pool_depths=POOLS, depths=DEPTHS, forms=forms, residual=0.1
    )


def _plot(folders: Folders, study: pw.studies.DepthStudy, path: str) -> None:
    kinds = list(dict.fromkeys((s.family, s.form) for s in study.settings))
    with panels(folders.out / path, (len(kinds) + 2) // 3, 3) as axes:
        for ax, kind in zip(axes, kinds, strict=False):
            of = [s for s in study.settings if (s.family, s.form) == kind]
            for pool in POOLS:
                line = [(s.depth, power(s.pvalues)) for s in of if s.pool_depth == pool]
                ax.plot(*zip(*line, strict=True), color="0.4", linewidth=0.8)
                ax.annotate(str(pool), line[-1])
            full = [(s.depth, power(s.pvalues)) for s in of if s.pool_depth == s.depth]
            ax.plot(*zip(*full, strict=True), "+-", color="tab:red")
            ax.set(
                xscale="log",
                title=f"{kind[0]} {kind[1]}",
                xlabel="evaluation depth",
                ylabel="power",
            )
        for ax in axes[len(kinds) :]:
            ax.set_axis_off()


SECTIONS = (figure_1, figure_2, figure_3, figure_4)
