"""D10: Webber, Moffat, Zobel, The effect of pooling and evaluation depth on metric stability."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.figures import panels
from reproduce.results import Row, Section, compare, numbers, pattern
from reproduce.sources import Folders, present, read_collection

PAPER = "D10: pooling and evaluation depth"
FOLDERS = {
    "T5": "trec5",
    "T8": "trec8",
    "T01": "web2001",
    "T04": "robust2004-new",
    "T05": "terabyte2005",
}
MEASURES = ("P@10", "RBP(p=0.8)", "RBP(p=0.95)", "AP@1000", "nDCG(dcg='jk')@1000")
TABLE_1 = {
    "T5": (0.628, 0.638, 0.661, 0.638, 0.693),
    "T8": (0.645, 0.657, 0.691, 0.725, 0.718),
    "T01": (0.594, 0.602, 0.627, 0.627, 0.673),
    "T04": (0.516, 0.517, 0.598, 0.680, 0.673),
    "T05": (0.555, 0.562, 0.658, 0.748, 0.762),
}
MATRICES = {
    ("T5", "P@10", 0.628): "sigir2019-statistical/adhoc5_p10.csv",
    ("T5", "AP@1000", 0.638): "sigir2019-statistical/adhoc5_ap.csv",
    ("T04", "P@10", 0.516): "sigir2018-simulation/robust2004_p10.csv",
    ("T04", "AP@1000", 0.680): "sigir2018-simulation/robust2004_ap.csv",
}
TABLE_2_NAMES = (
    *("P@10", "R@10", "AP@10", "nDCG@10", "RBP .8"),
    *("P@1000", "R@1000", "AP@1000", "nDCG@1000", "RBP .9977"),
)
TABLE_2 = (
    (0.88, 0.90, 0.94, 0.93, 0.74, 0.69, 0.83, 0.83, 0.80),
    (0.90, 0.86, 0.86, 0.71, 0.68, 0.83, 0.82, 0.77),
    (0.90, 0.90, 0.73, 0.70, 0.86, 0.85, 0.79),
    (0.98, 0.71, 0.66, 0.80, 0.81, 0.78),
    (0.72, 0.67, 0.81, 0.81, 0.79),
    (0.88, 0.81, 0.85, 0.90),
    (0.79, 0.84, 0.82),
    (0.91, 0.88),
    (0.91,),
)
TABLE_3_NAMES = tuple(
    f"pool {pool}, depth {depth}, {measure}"
    for (pool, depth), measure in product(((10, 10), (10, 100), (100, 100)), ("aAP", "nDCG", "RBP"))
)
TABLE_3 = (
    (0.89, 0.88, 0.73, 0.72, 0.67, 0.74, 0.74, 0.73),
    (0.96, 0.73, 0.75, 0.70, 0.73, 0.76, 0.74),
    (0.72, 0.74, 0.69, 0.72, 0.75, 0.73),
    (0.88, 0.84, 0.86, 0.86, 0.81),
    (0.88, 0.79, 0.88, 0.83),
    (0.75, 0.81, 0.85),
    (0.87, 0.82),
    (0.88,),
)
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
        "RBP, p = 0.95, base": pw.RBP(p=0.95).weights(1000),
        "RBP, p = 0.9977, base": pw.RBP(p=0.9977).weights(1000),
    }
    published = {"DCG@1000": (82, 0), "RBP, p = 0.95, base": (0.5, 1)}
    rows = []
    for name, weight in weights.items():
        value, digits = published.get(name, (77, 0))
        share = 100 * weight[100:].sum() / weight.sum()
        what = f"% of weight from 101 to 1,000: {name}"
        rows.append(compare(what, value, share, digits=digits, remark="“half a percent”: 0.59"))
    evidence = read_collection(folders.data / "trec8").evidence
    many = int((evidence.relevant(1) > 100).sum())
    rows.append(compare("§4.2: topics of TREC-8 with more than 100 relevant", 20, many, digits=0))
    return Section(PAPER, "Figure 1 and §4.2: weight beyond the pool", tuple(rows))


def table_1(folders: Folders) -> Section:
    """Compute the discriminative power of five measures."""
    rows: list[Row] = []
    for name, folder in present(folders.data, FOLDERS):
        evidence = read_collection(folder).evidence
        tables = [pw.score(evidence, measure, bounds="none") for measure in MEASURES]
        powers = [power(pw.discriminate(table).findings.pvalue) for table in tables]
        rows.append(compare(f"{name}: P@10, RBP.8, RBP.95, AP, nDCG", TABLE_1[name], powers))
    rows += [
        _matrix_power(folders, *key, path)
        for key, path in MATRICES.items()
        if (folders.data / "scores/urbano" / path).is_file()
    ]
    reading = (
        "nDCG with the discount of Järvelin and Kekäläinen (1 to rank 2, then 1/log₂ i), ties as "
        "`trec_eval` breaks them. Two or three pairs score alike on every topic and have no p "
        "value; they are left out, here and in figure 4, which is what gives the last digits. Rows "
        "“matrix” come from public scores of four decimals."
    )
    return Section(PAPER, "Table 1: discriminative power", tuple(rows), reading)


def _matrix_power(folders: Folders, name: str, measure: str, published: float, path: str) -> Row:
    table = pw.read_score_matrix(folders.data / "scores/urbano" / path, measure=measure)
    if name == "T04":
        table = table.select(topics=[t for t in table.topics if int(t) > 650])
    ours = power(pw.discriminate(table).findings.pvalue)
    why = "W10 table 4.3 prints 0.636 for the same"
    return compare(f"{name} {measure}, matrix", published, ours, remark=why)


def power(pvalues: NDArray[np.float64]) -> float:
    """Return the share of p < 0.05 among pairs that have a p value, as two alike have none."""
    return float((pvalues[~np.isnan(pvalues)] < 0.05).mean())


def table_2(folders: Folders) -> Section:
    """Compute τ between measures at depths 10 and 1,000."""
    taus = correlations_of_measures(folders)
    rows = [
        compare(name, published, taus[i, i + 1 :], digits=2, remark="P@1000: 0.7345, printed 0.74")
        for i, (name, published) in enumerate(zip(TABLE_2_NAMES, TABLE_2, strict=False))
    ]
    rows.append(_mean_correlations(taus))
    reading = (
        "Pools of all 129 runs; τ_b; AP over all relevant documents (expanded); nDCG with the jk "
        "discount. RBP.8 has all judgments and no cut-off, as a measure without a depth: cut at "
        "rank 10 on the pool of depth 10, five cells more differ, by up to 0.014."
    )
    return Section(PAPER, "Table 2: τ between measures and depths", tuple(rows), reading)


def _mean_correlations(taus: NDArray[np.float64]) -> Row:
    """Average over blocks of table 2, as §4.1 does."""
    upper = np.triu_indices(5, 1)
    across = taus[:5, 5:]
    ours = (
        taus[:5, :5][upper].mean(),
        taus[5:, 5:][upper].mean(),
        across.mean(),
        np.diag(across).mean(),
    )
    what = "§4.1: mean τ within depth 10, within 1,000, across, of a measure with itself"
    return compare(what, (0.905, 0.860, 0.767, 0.773), ours, remark="0.7664; one cell as above")


def correlations_of_measures(folders: Folders) -> NDArray[np.float64]:
    """Return τ between the ten measures of table 2."""
    c = read_collection(folders.data / "trec8")
    cut = ["P", "R", "AP", "nDCG(dcg='jk')"]
    parts = (
        (cut, 10, 10),
        (["RBP(p=0.8)"], 100, 1000),
        ([*cut, "RBP(p=0.9977)"], 100, 1000),
    )
    studies = [
        pw.study_depths(c.runs, c.judgments, names, pool_depths=[pool], depths=[depth])
        for names, pool, depth in parts
    ]
    settings = tuple(setting for study in studies for setting in study.settings)
    return pw.DepthStudy(c.runs.systems, settings).order_correlation()


def shallow_and_deep(folders: Folders) -> pw.DepthStudy:
    """Evaluate the nine settings of table 3: shallow, extended, deep, of three measures each."""
    c = read_collection(folders.data / "trec8")
    found = pw.study_depths(
        c.runs,
        c.judgments,
        ["aAP", "nDCG(dcg='jk')", "RBP"],
        pool_depths=[10, 100],
        depths=[10, 100],
        residual=0.1,
    )
    kept = [s for s in found.settings if (s.pool_depth, s.depth) != (100, 10)]
    return pw.DepthStudy(found.systems, tuple(kept))


def table_3(folders: Folders) -> Section:
    """Compute τ between orders of pairs by p value."""
    taus = shallow_and_deep(folders).pvalue_correlation()
    rows = [
        compare(name, published, taus[i, i + 1 :], digits=2)
        for i, (name, published) in enumerate(zip(TABLE_3_NAMES, TABLE_3, strict=False))
    ]
    reading = "Pools of all 129 runs; p of RBP leaves a residual of 0.1; nDCG with the jk discount."
    return Section(PAPER, "Table 3: τ between p values", tuple(rows), reading)


def figure_2(folders: Folders) -> Section:
    """Plot shallow, extended and deep nDCG against each other."""
    shallow, extended, deep = (
        s for s in shallow_and_deep(folders).settings if s.family.startswith("nDCG")
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
    found = _study(folders, ["AP", "nDCG(dcg='jk')"], ["expanded", "normalized"])
    rows = [_beyond(found, family) for family in ("AP", "nDCG(dcg='jk')")]
    path = "d10-figure-3.svg"
    _plot(folders, found, path)
    return Section(PAPER, "Figure 3: expanded and abbreviated normalization", tuple(rows), "", path)


def _beyond(found: pw.DepthStudy, family: str) -> Row:
    """Say whether pooling beyond depth 5 hurts the expanded form and not the abbreviated one."""
    at = {
        (s.form, s.pool_depth): power(s.pvalues)
        for s in found.settings
        if s.family == family and s.depth == 5
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
    given = _study(folders, ["R"], ["given"])
    three = _study(
        folders, ["P", "SP", "DCG(dcg='jk')", "RBP"], ["raw", "normalized", "standardized"]
    )
    settings = (*given.settings, *three.settings)
    found = {(s.family, s.form, s.pool_depth, s.depth): power(s.pvalues) for s in settings}
    rows = [
        compare(name, value, found[repr(pw.parse_measure(m, complete=False)), form, pool, depth])
        for name, (m, form, pool, depth, value) in FIGURE_4.items()
    ]
    rows += _far_beyond(settings)
    path = "d10-figure-4.svg"
    _plot(folders, pw.DepthStudy(given.systems, settings), path)
    reading = (
        "SP is AP without its divisor, so that standardized SP is standardized AP; factors from "
        "the 129 runs themselves; RBP leaves a residual of 0.1 at the depth."
    )
    return Section(PAPER, "Figure 4: discriminative power", tuple(rows), reading, path)


def _far_beyond(settings: tuple[pw.DepthSetting, ...]) -> list[Row]:
    """Say what evaluating to depth 1,000 on a pool of depth 5 does (§4.2)."""
    rises = {"SP normalized": True, "SP standardized": True, "P raw": False, "RBP raw": False}
    rows = []
    for name, rising in rises.items():
        family, form = name.split()
        line = [
            power(s.pvalues)
            for s in settings
            if s.family.split("(")[0] == family and (s.form, s.pool_depth) == (form, 5)
        ]
        rows.append(
            pattern(
                f"{name}, pool 5: highest power, and at depth 1,000",
                "rises or levels off" if rising else "falls",
                numbers([max(line), line[-1]]),
                "AP rises all the way on a pool of depth 5; P and RBP fall",
                holds=(max(line) - line[-1] < 0.002) == rising,
            )
        )
    return rows


def _study(folders: Folders, measures: list[str], forms: list[str]) -> pw.DepthStudy:
    c = read_collection(folders.data / "trec8")
    return pw.study_depths(
        c.runs, c.judgments, measures, pool_depths=POOLS, depths=DEPTHS, forms=forms, residual=0.1
    )


def _plot(folders: Folders, found: pw.DepthStudy, path: str) -> None:
    kinds = list(dict.fromkeys((s.family, s.form) for s in found.settings))
    with panels(folders.out / path, (len(kinds) + 2) // 3, 3) as axes:
        for ax, kind in zip(axes, kinds, strict=False):
            of = [s for s in found.settings if (s.family, s.form) == kind]
            for pool in POOLS:
                line = [(s.depth, power(s.pvalues)) for s in of if s.pool_depth == pool]
                ax.plot(*zip(*line, strict=True), color="0.4", linewidth=0.8)
                ax.annotate(str(pool), line[-1])
            full = [(s.depth, power(s.pvalues)) for s in of if s.pool_depth == s.depth]
            ax.plot(*zip(*full, strict=True), "+-", color="tab:red")
            ax.set(xscale="log", title=" ".join(kind), xlabel="evaluation depth", ylabel="power")
        for ax in axes[len(kinds) :]:
            ax.set_axis_off()


SECTIONS = (figure_1, table_1, table_2, table_3, figure_2, figure_3, figure_4)
