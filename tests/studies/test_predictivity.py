"""How far an order of systems on some topics holds on others."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau, ttest_1samp
from tests.each import over

import poolwise as pw
from poolwise.errors import InputError, OptionError
from poolwise.findings.comparison._resampling import Resamples
from poolwise.studies._swaps import draw_sets


def table(values: np.ndarray, measure: str = "AP") -> pw.ScoreTable:
    """Return scores under made-up names."""
    systems, topics = (
        [f"{c}{i}" for i in range(n)] for c, n in zip("st", values.shape, strict=True)
    )
    return pw.ScoreTable.from_matrix(values, systems=systems, topics=topics, measure=measure)


def noise(seed: int, *, systems: int = 8, topics: int = 20, coarse: bool = False) -> np.ndarray:
    """Return scores without any difference between systems but by chance; coarse ones tie."""
    values = np.random.default_rng(seed).random((systems, topics))
    return (values * 5).round() / 5 if coarse else values


@pytest.mark.parametrize("method", ["tau", "tau_b"])
def test_taus_are_those_of_the_halves(method: str) -> None:
    """Each partition has scipy's τ between the means on its halves, for each pair of measures."""
    values = [noise(1, coarse=True), noise(2)]
    study = pw.studies.predictivity([table(v) for v in values], rng=7, partitions=10, method=method)
    rng = np.random.default_rng(Resamples.plan(10, rng=7).seeds[0])
    halves = zip(*draw_sets(rng, 10, 20, size=10, sets="disjoint"), strict=True)
    for taus, (first, second) in zip(study.taus, halves, strict=True):
        for i, j in np.ndindex(2, 2):
            a = values[i][:, first > 0].mean(axis=1).round(12)
            b = values[j][:, second > 0].mean(axis=1).round(12)
            pairs = np.sign(np.subtract.outer(a, a) * np.subtract.outer(b, b)).sum() / (8 * 7)
            expected = pairs if method == "tau" else kendalltau(a, b).statistic
            assert taus[i, j] == pytest.approx(expected)


def test_a_clear_order_predicts_itself() -> None:
    """Systems that keep their order on every topic are ordered alike on all halves."""
    values = np.arange(6.0)[:, None] / 10 + np.linspace(0, 0.05, 11)
    study = pw.studies.predictivity([table(values), table(values**2, "nDCG")], rng=1, partitions=30)
    np.testing.assert_allclose(study.means(), 1.0)
    assert (study.topics, study.deviations().max()) == (5, 0)
    assert pw.studies.swap_rates(table(values), rng=1, draws=30).rate == 0


def test_chance_predicts_nothing() -> None:
    """Where systems differ by chance alone, halves of many topics are no more alike than chance.

    τ over disjoint halves falls a little below 0: what one half has, the other lacks.
    """
    study = pw.studies.predictivity(
        [table(noise(3, systems=30, topics=200))], rng=1, partitions=200
    )
    assert -0.35 < study.means()[0, 0] < 0.05


def test_both_directions_count_alike() -> None:
    """The table is symmetric, and its columns hold every pair of measures once."""
    study = pw.studies.predictivity([table(noise(1)), table(noise(2), "RR")], rng=1, partitions=20)
    means = study.means()
    assert means[0, 1] == pytest.approx(means[1, 0])
    assert study.columns()["predicted"] == ["AP", "RR", "RR"]
    assert study.columns()["tau_b"] == pytest.approx(means[np.triu_indices(2)])
    assert study.matrix()["RR"] == pytest.approx(means[:, 1])


def test_halves_on_which_all_tie_are_left_out() -> None:
    """A half on which a measure ties all systems gives no τ_b, and spoils no mean."""
    values = np.ones((3, 4))
    values[:, 0] = [0.1, 0.2, 0.3]
    study = pw.studies.predictivity([table(values), table(noise(1, systems=3, topics=4))], rng=1)
    assert np.isnan(study.taus[:, 0, 0]).all()
    assert np.isnan(study.means()[0, 0])
    assert abs(study.means()[0, 1]) <= 1
    assert study.deviations()[1, 1] > 0


def test_results_depend_on_the_seed_alone() -> None:
    """Two workers find what one does, and progress reaches the number of batches."""
    tables = [table(noise(1))]
    seen: list[tuple[int, int]] = []
    serial = pw.studies.predictivity(
        tables, rng=3, partitions=1100, progress=lambda *d: seen.append(d)
    )
    two = pw.studies.predictivity(tables, rng=3, partitions=1100, workers=2)
    np.testing.assert_array_equal(serial.taus, two.taus)
    assert seen[-1] == (3, 3)
    swaps = [pw.studies.swap_rates(tables[0], rng=3, draws=600, workers=w) for w in (1, 2)]
    np.testing.assert_array_equal(swaps[0].swaps, swaps[1].swaps)
    np.testing.assert_array_equal(swaps[0].comparisons, swaps[1].comparisons)


def plain_swaps(
    values: np.ndarray, drawn: tuple[np.ndarray, np.ndarray], alpha: float | None, bins: int
) -> np.ndarray:
    """Count comparisons and swaps by bins of 0.05, for sets of 5, one pair at a time."""
    counts = np.zeros((2, bins), int)
    for shares in zip(*drawn, strict=True):
        picked = [np.repeat(np.arange(len(s)), (s * 5).round().astype(int)) for s in shares]
        for i, j in zip(*np.triu_indices(len(values), 1), strict=True):
            seen, later = ((values[i] - values[j])[topics].round(12) for topics in picked)
            one, other = seen.mean().round(12), later.mean().round(12)
            significant = alpha is None or np.ptp(seen) == 0 or ttest_1samp(seen, 0).pvalue < alpha
            if one != 0 and significant:
                counts[:, int(abs(one) / 0.05 + 1e-9)] += [1, one * other < 0]
    return counts


@pytest.mark.parametrize("sets", ["disjoint", "independent"])
@pytest.mark.parametrize("alpha", [None, 0.2])
def test_swaps_pair_by_pair(sets: str, alpha: float | None) -> None:
    """Comparisons and swaps are those of a plain loop over draws and pairs of systems."""
    values = noise(4, systems=6, topics=14, coarse=True)
    options = {"size": 5, "width": 0.05, "sets": sets, "alpha": alpha}
    rates = pw.studies.swap_rates(table(values), rng=9, draws=25, **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(Resamples.plan(25, rng=9).seeds[0])
    drawn = draw_sets(rng, 25, 14, size=5, sets=sets)
    expected = plain_swaps(values, drawn, alpha, len(rates.swaps))
    np.testing.assert_array_equal([rates.comparisons, rates.swaps], expected)
    assert expected.sum() > 0


def test_systems_that_part_the_topics_always_swap() -> None:
    """Two systems, each best on one of two topics, change places in every draw."""
    rates = pw.studies.swap_rates(table(np.array([[0.6, 0.2], [0.2, 0.6]])), rng=1, draws=20)
    assert (rates.rate, int(rates.comparisons.sum())) == (1, 20)
    assert np.isnan(rates.difference_needed())
    assert "No difference is so large" in str(rates)


def test_the_difference_needed_holds_from_there_on() -> None:
    """The bound lies behind the last bin that swaps too often, empty bins aside."""
    rates = pw.studies.SwapRates(
        pw.AP, 5, 25, 10, "disjoint", None, 0.1,
        comparisons=np.array([100, 100, 0, 100, 50, 0]), swaps=np.array([40, 2, 0, 6, 2, 0]),
    )  # fmt: skip
    assert rates.difference_needed(0.05) == pytest.approx(0.4)
    assert rates.difference_needed(0.06) == pytest.approx(0.1)
    assert np.isnan(rates.difference_needed(0.01))
    assert rates.columns()["to"] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert np.isnan(rates.rates[2])


def test_no_difference_no_comparison() -> None:
    """Systems that score alike are not compared, and have no rate."""
    rates = pw.studies.swap_rates(table(np.ones((3, 8))), rng=1, draws=5)
    assert np.isnan(rates.rate)
    assert rates.columns()["rate"] == []


def test_weak_systems_are_left_out_only_if_weak_under_every_measure() -> None:
    """A system that one measure puts last and another does not stays."""
    first, second = np.array([[4.0], [3], [2], [1]]), np.array([[4.0], [3], [1], [2]])
    assert pw.studies.top_systems([table(first)]) == ("s0", "s1", "s2")
    assert pw.studies.top_systems([table(first), table(second)]) == ("s0", "s1", "s2", "s3")
    assert pw.studies.top_systems([table(first), table(second)], share=0.5) == ("s0", "s1")


@over(
    "call, message",
    [
        (lambda _: pw.studies.predictivity([], rng=1), r"^tables: "),
        (lambda t: pw.studies.predictivity([t], rng=1, method="rho"), r"^method: "),
        (lambda t: pw.studies.predictivity([t], rng=1, partitions=0), r"^resamples: "),
        (lambda t: pw.studies.predictivity([t.select(t.systems[:1])], rng=1), r"^size: "),
        (lambda t: pw.studies.swap_rates(t, rng=1, size=11), r"^size: .* from 1 to 10"),
        (lambda t: pw.studies.swap_rates(t, rng=1, sets="odd"), r"^sets: "),
        (lambda t: pw.studies.swap_rates(t, rng=1, width=0), r"^width: "),
        (lambda t: pw.studies.swap_rates(t, rng=1, alpha=1), r"^alpha: "),
        (lambda t: pw.studies.swap_rates(t, rng=1, size=1, alpha=0.05), r"^size: "),
        (lambda _: pw.studies.top_systems([]), r"^tables: "),
        (lambda t: pw.studies.top_systems([t], share=0), r"^share: "),
    ],
)
def test_what_is_refused(call: Callable[[pw.ScoreTable], object], message: str) -> None:
    """Each impossible wish is named."""
    with pytest.raises(OptionError, match=message):
        call(table(noise(1)))


def test_tables_of_other_systems_are_refused() -> None:
    """Measures are set side by side only on the same systems and topics."""
    with pytest.raises(InputError, match="same systems and topics"):
        pw.studies.predictivity([table(noise(1)), table(noise(1, systems=7), "RR")], rng=1)


def test_w10_table_3_2(data_dir: Path) -> None:
    """TREC-8 gives results like W10 table 3.2's, which are of Terabyte 2004.

    RBP, AP and nDCG predict P@10 at least as well as P@10 does, and RR as well as RR does, to
    0.02; AP and nDCG predict themselves best, and swap fewer pairs than P@10, P@10 fewer than RR.
    """
    names = ["P@10", "RR", "RBP(p=0.95)", "AP", "nDCG(dcg='jk')"]
    folder = data_dir / "trec8"
    result = pw.evaluate(folder / "qrels.gz", folder / "runs", names, bounds="none")
    kept = pw.studies.top_systems(result.values())
    assert len(kept) == 102
    tables = [each.select(kept) for each in result.values()]
    means = pw.studies.predictivity(tables, rng=1, partitions=200).means()
    p10, rr, rbp, ap, ndcg = range(5)
    assert means[p10, [rbp, ap, ndcg]].min() >= means[p10, p10]
    assert means[rr, [rbp, ap, ndcg]].min() >= means[rr, rr] - 0.02
    assert means[rr, rbp] > means[rr, rr]
    assert np.diag(means).argsort().tolist()[:3] == [rr, p10, rbp]
    rates = [pw.studies.swap_rates(each, rng=1, draws=100).rate for each in tables]
    assert max(rates[ap], rates[ndcg]) < rates[p10] < rates[rr]


def test_the_best_predictor_is_named() -> None:
    """For each measure the sentence names the one with the highest mean τ, and gives its own."""
    noisy = np.random.default_rng(2).random((8, 20))
    clear = np.arange(8.0)[:, None] / 4 + noisy
    both = [table(clear, "AP"), table(clear + 3 * noise(5), "RR")]
    study = pw.studies.predictivity(both, partitions=50)
    means = study.means()
    assert means[0, 1] > means[1, 1]
    first, second = study.sentences()
    assert f"AP on other topics is predicted best by itself, with {means[0, 0]:.3f} (" in first
    assert f"RR on other topics is predicted best by AP, with {means[0, 1]:.3f}, and " in second
    assert f"by itself with {means[1, 1]:.3f} (" in second
    assert "random halves of 10 topics, 8 systems, 50 partitions" in first


def test_no_tables_are_refused_however_they_come() -> None:
    """An iterator that yields nothing is no table either."""
    with pytest.raises(OptionError, match="tables: none given"):
        pw.studies.predictivity(iter([]))
