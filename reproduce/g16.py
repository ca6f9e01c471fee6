"""G16: Lu, Moffat, Culpepper, Modeling relevance as a function of retrieval rank, 2016."""

import numpy as np
from numpy.typing import NDArray

import poolwise as pw
from reproduce.figures import panels
from reproduce.results import Row, Section, checked, compare, numbers, pattern
from reproduce.sources import Collection, Folders, read_collection, read_pooled

PAPER = "G16: gain models"
MODELS = ("static", "constant", "linear", "zipf", "weibull", "hybrid")
# Robust 2004 and Terabyte 2006, in the order of MODELS.
TABLE_2 = {
    10: "0.237 0.106 0.080 0.086 0.071 0.070; 0.190 0.040 0.020 0.018 0.011 0.011",
    20: "0.256 0.113 0.085 0.088 0.072 0.071; 0.186 0.049 0.020 0.022 0.011 0.011",
    30: "0.275 0.114 0.088 0.087 0.071 0.070; 0.186 0.056 0.022 0.024 0.011 0.011",
    40: "0.292 0.114 0.090 0.087 0.069 0.069; 0.187 0.060 0.024 0.023 0.012 0.011",
    50: "0.307 0.112 0.090 0.087 0.068 0.068; 0.189 0.063 0.025 0.025 0.012 0.011",
}
# Which models are not significantly worse than the hybrid, on the same collections.
DAGGERS = {
    10: "none; Weibull",
    20: "Weibull; Weibull",
    30: "Weibull; Weibull",
    40: "Weibull; none",
    50: "Weibull; Weibull",
}
# Robust 2004: RMS of ε and % of ε = 0, for the models but the static one, and RM.
TABLE_3 = {
    20: "0.020 (33) 0.015 (33) 0.027 (15) 0.018 (31) 0.018 (31) 0.040 (9)",
    40: "0.004 (60) 0.003 (65) 0.005 (56) 0.004 (65) 0.004 (65) 0.010 (31)",
    60: "0.001 (78) 0.001 (84) 0.001 (89) 0.001 (88) 0.001 (88) 0.002 (71)",
    80: "0.000 (92) 0.000 (95) 0.000 (99) 0.000 (97) 0.000 (97) 0.000 (98)",
}
DEPTH = 100
MEASURE = "RBP(p=0.95)@100"
BINARY = np.array([0.0, 1.0])

Floats = NDArray[np.float64]


def tails(_: Folders) -> Section:
    """Compute the tails of RBP that §4 states."""
    ours = [float(pw.RBP(p=0.95).weights(5000)[depth:].sum()) for depth in (50, 100)]
    rows = (
        compare(
            "tail of RBP0.95 beyond 50",
            0.07,
            ours[0],
            digits=2,
            remark=checked(f"{ours[0]:.4f}: cut, not rounded", holds=int(100 * ours[0]) == 7),
        ),
        compare("tail of RBP0.95 beyond 100", 0.006, ours[1]),
    )
    return Section(PAPER, "§4: the tail of RBP", rows)


def pooled_runs(folders: Folders) -> Collection:
    """Return the runs that made the pool of TREC-8, with its judgments."""
    whole = read_collection(folders.data / "trec8")
    return Collection.of(whole.runs.select(read_pooled(folders.data / "trec8")), whole.judgments)


def table_2(folders: Folders) -> Section:
    """Fit the models to the gains of each topic, and say how well they fit."""
    evidence = pooled_runs(folders).evidence
    rows = []
    for depth, published in TABLE_2.items():
        fits = pw.studies.compare_gain_models(evidence, depth=depth)
        columns = fits.columns()
        errors = dict(zip(fits.models, columns["rmse"], strict=True))
        share = fits.best.count("weibull") / sum(map(bool, fits.best))
        rows.append(
            pattern(
                f"d = {depth}: {', '.join(MODELS)}",
                published,
                numbers(list(errors.values())),
                "static is worst, Weibull best and near the hybrid, which takes it on most topics "
                f"(85% there; {share:.0%} here)",
                holds=_order_holds(errors) and share > 0.5,
            )
        )
        rows.append(_tests(depth, dict(zip(fits.models, columns["p"], strict=True))))
    reading = (
        "The 71 pooled runs of TREC-8; mean over topics of the RMSE of fit to the mean gain at "
        "each rank; p of the paired t test over topics. Published: Robust 2004; Terabyte 2006."
    )
    return Section(PAPER, "Table 2: fit of gain models, on TREC-8", tuple(rows), reading)


def _tests(depth: int, p: dict[str, float]) -> Row:
    """Compare the errors of the models with those of the hybrid, by t tests over topics."""
    single = {model: value for model, value in p.items() if model != "hybrid"}
    return pattern(
        f"d = {depth}: p beside the hybrid, {', '.join(single)}",
        DAGGERS[depth],
        numbers(list(single.values()), 4),
        "static, constant, linear and Zipf fit significantly worse than the hybrid; the Weibull "
        "model is nearest to it",
        holds=all(value < 0.05 for model, value in single.items() if model != "weibull")
        and single["weibull"] == max(single.values()),
    )


def _order_holds(errors: dict[str, float]) -> bool:
    single = {model: error for model, error in errors.items() if model != "hybrid"}
    near = errors["weibull"] - errors["hybrid"] < 0.005
    return (
        errors["static"] == max(single.values())
        and errors["weibull"] == min(single.values())
        and near
    )


def table_3(folders: Folders) -> Section:
    """Predict the scores of depth 100 from shallower pools."""
    c = pooled_runs(folders)
    final = pw.score(c.evidence, MEASURE)
    # The residual at depth 100 also holds all documents beyond it (G16 §3).
    upper = final.upper + 0.95**DEPTH
    rows = []
    rms = {}
    for depth, published in TABLE_3.items():
        errors = predictions(c.pool(depth), depth, final.lower, upper)
        rms[depth] = {m: _rms(error) for m, error in errors.items()}
        inside = {m: float((error <= 1e-12).mean()) for m, error in errors.items()}
        best = min(rms[depth].values())
        rows.append(
            pattern(
                f"d′ = {depth}: {', '.join(errors)}",
                published,
                " ".join(f"{rms[depth][m]:.3f} ({100 * inside[m]:.0f})" for m in errors),
                "the linear and Weibull models are within 0.005 of the best, and RM beats neither",
                holds=max(rms[depth]["linear"], rms[depth]["weibull"]) < best + 0.005
                and max(rms[depth]["linear"], rms[depth]["weibull"]) <= rms[depth]["RM"] + 0.0005,
            )
        )
    reading = (
        f"{MEASURE}; models fitted to the pool of depth d′ of the 71 pooled runs. Mean over runs "
        "of the root mean square over topics of ε, the distance to the range that the pool of "
        "depth 100 leaves; in parentheses the % of ε = 0. Published: Robust 2004."
    )
    return Section(PAPER, "Table 3: prediction of scores, on TREC-8", tuple(rows), reading)


def predictions(
    evidence: pw.Evidence, depth: int, lower: Floats, upper: Floats
) -> dict[str, Floats]:
    """Return ε of each method, systems × topics."""
    methods: dict[str, pw.scores.Treatment] = {
        **{m: pw.scores.GainModelTreatment(m, depth=depth) for m in MODELS if m != "static"},
        "RM": pw.scores.RateFilled("interpolation"),
    }
    return {
        name: pw.scores.range_error(
            pw.scores.estimate(evidence, MEASURE, treatment=method).value, lower, upper
        )
        for name, method in methods.items()
    }


def _rms(errors: Floats) -> float:
    return float(np.sqrt((errors**2).mean(axis=1)).mean())


def figures_3_and_4(folders: Folders) -> Section:
    """Plot the rate of relevant documents by band of ranks, and the models of one topic."""
    c = pooled_runs(folders)
    bands = tuple(range(10, DEPTH + 1, 10))
    rates = pw.studies.pool_growth(c.nominations, bands).rates()
    gains = pw.evidence.empirical_gains(c.evidence, BINARY, depth=DEPTH)
    topic = int(np.argsort(np.nansum(gains, axis=1))[-5])
    path = "g16-figures-3-4.svg"
    with panels(folders.out / path, 1, 3) as (left, *others):
        left.plot(bands, 100 * rates, "o-")
        left.set(yscale="log", xlabel="pool depth", ylabel="% relevant of the band")
        for ax, depth in zip(others, (DEPTH, 10), strict=True):
            ax.plot(np.arange(1, DEPTH + 1), gains[topic], "k.", markersize=3)
            for model in MODELS[:-1]:
                fit = pw.evidence.fit_gains(c.pool(depth), BINARY, model=model, depth=depth)
                ax.plot(np.arange(1, DEPTH + 1), fit.predict(DEPTH)[topic], label=model)
            ax.set(title=f"topic {c.evidence.topics[topic]}, d = {depth}", ylim=(0, 1.05))
        others[0].legend()
    first, last = np.nanmean(gains[:, :10]), np.nanmean(gains[:, -10:])
    rows = (
        pattern(
            "figure 3: % relevant of the bands 1–10, …, 91–100",
            "declines to a few %",
            numbers(100 * rates, 1),
            "the deeper the band, the fewer of its documents are relevant",
            holds=bool((np.diff(rates) < 0).all() and rates[-1] < 0.25 * rates[0]),
        ),
        pattern(
            "figure 4: mean gain at ranks 1–10 and 91–100",
            "decreases with rank",
            numbers([first, last]),
            "empirical gain decreases with rank",
            holds=bool(last < first),
        ),
    )
    reading = "The 71 pooled runs of TREC-8; a topic with many relevant documents."
    return Section(PAPER, "Figures 3 and 4: gain by rank, on TREC-8", rows, reading, path)


SECTIONS = (tails, table_2, table_3, figures_3_and_4)
