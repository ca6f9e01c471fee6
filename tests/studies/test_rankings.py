"""Runs over time, and rankings made worse, against W10 §7.4."""

from pathlib import Path

import numpy as np
import pytest

import poolwise as pw
from poolwise.errors import OptionError
from poolwise.studies._time import dates_of_names


def dated(lists: dict[str, dict[str, str]]) -> pw.Runs:
    """Return runs, from name to topic to items."""
    return pw.Runs.from_rankings(
        {name: {t: list(items) for t, items in topics.items()} for name, topics in lists.items()}
    )


RUNS = dated(
    {
        "g.2008-10-20": {"1": "abcdef", "2": "uvwxyz"},
        "g.2008-10-21": {"1": "abcdfe", "2": "uvwxyz"},
        "g.2008-10-23": {"1": "bacdfe", "2": "uvxwyz"},
        "live-20081020": {"1": "xyzabc", "2": "fedcba"},
        "live-20081021": {"1": "xyzabc", "2": "fedcba"},
    }
)


def test_steps_and_ends_are_overlaps_of_two_runs() -> None:
    """Each number is a mean of RBO between the runs of two dates."""
    over_time = pw.studies.similarity_over_time(RUNS)
    first, second, third = (f"g.2008-10-{day}" for day in (20, 21, 23))
    steps = [
        pw.findings.run_overlap(RUNS, *pair).ext for pair in ((first, second), (second, third))
    ]
    assert over_time.systems == ("g", "live")
    assert over_time.mean[0] == pytest.approx(np.mean(steps))
    assert over_time.median[0] == pytest.approx(np.median(steps))
    assert over_time.deviation[0] == pytest.approx(np.std(steps, axis=0, ddof=1).mean())
    ends = pw.findings.run_overlap(RUNS, first, third).mean().ext
    assert over_time.start_to_end[0] == pytest.approx(ends)
    assert [day for system, day, _ in over_time.steps if system == "g"] == [
        "2008-10-21",
        "2008-10-23",
    ]


def test_a_system_that_stays_has_1() -> None:
    """W10 table 7.4: a median of 1.00 means that the typical result does not change."""
    over_time = pw.studies.similarity_over_time(RUNS)
    assert over_time.median[1] == over_time.mean[1] == over_time.start_to_end[1] == pytest.approx(1)
    assert over_time.deviation[1] == 0


def test_systems_are_compared_on_the_dates_that_both_have() -> None:
    """W10 fig. 7.6: one line for two systems."""
    over_time = pw.studies.similarity_over_time(RUNS)
    assert [(a, b, day) for a, b, day, _ in over_time.between] == [
        ("g", "live", "2008-10-20"),
        ("g", "live", "2008-10-21"),
    ]


def test_several_ends_are_crossed() -> None:
    """W10 compares four first with four last dates: 16 pairs."""
    lists = ("abcd", "abdc", "badc", "dcba")
    runs = dated({f"e.2008-10-2{i}": {"1": items} for i, items in enumerate(lists)})
    pairs = [(a, b) for a in runs.systems[:2] for b in runs.systems[2:]]
    crossed = [pw.findings.run_overlap(runs, a, b).mean().ext for a, b in pairs]
    over_time = pw.studies.similarity_over_time(runs, ends=2)
    assert over_time.start_to_end[0] == pytest.approx(np.mean(crossed))


def test_dates_may_be_given() -> None:
    """Names need not hold them."""
    runs = dated({"x": {"1": "ab"}, "y": {"1": "ba"}})
    over_time = pw.studies.similarity_over_time(runs, {"x": ("s", "2001"), "y": ("s", "2002")})
    assert (over_time.systems, over_time.dates) == (("s",), (2,))


def test_undated_runs_are_refused() -> None:
    """A name without a date, a day that is none, a date twice, and too many ends are refused."""
    for names in (["bm25"], ["bm25.2008-13-45"]):
        with pytest.raises(OptionError, match="Hint: call it such as"):
            dates_of_names(names)
    twice = {"x": ("s", "2001"), "y": ("s", "2001")}
    runs = dated({"x": {"1": "ab"}, "y": {"1": "ba"}})
    for dates, ends in ((twice, 1), ({"x": ("s", "2001")}, 1), ({**twice, "y": ("s", "2002")}, 2)):
        with pytest.raises(OptionError, match="Hint"):
            pw.studies.similarity_over_time(runs, dates, ends=ends)


@pytest.fixture(scope="module")
def degraded() -> pw.studies.Degradation:
    """Return what becomes of forty ideal rankings."""
    return pw.studies.degrade_rankings(rng=1, repeats=40)


def test_w10_figure_7_9(degraded: pw.studies.Degradation) -> None:
    """Kendall's distance is worst at depth 100; RBO keeps its fidelity at high similarity."""
    every = dict(zip(degraded.names, degraded.taus(), strict=True))
    top = dict(zip(degraded.names, degraded.taus(above=0.7), strict=True))
    assert every["KD@10"] > every["KD@50"] > every["KD@100"]
    rbo, kd = ("RBO 0.8", "RBO 0.9", "RBO 0.95"), ("KD@10", "KD@50", "KD@100")
    assert max(every[name] - top[name] for name in rbo) < min(every[n] - top[n] for n in kd)
    assert max(every[name] for name in kd) < max(every[name] for name in rbo)


def test_degraded_rankings_are_what_they_are_said_to_be(degraded: pw.studies.Degradation) -> None:
    """After the first swap one relevant document is lower, so that AP has few values."""
    first = degraded.ap.reshape(40, 25)[:, 0]
    assert (first >= (10 * 0.9 + 0.1) / 10 - 0.35).all()
    assert (first < 1).all()
    assert len(degraded.ap) == 1000
    assert degraded.similarity.shape == (9, 1000)


def test_workers_do_not_change_the_numbers() -> None:
    """The same seed gives the same rankings."""
    serial, two = (pw.studies.degrade_rankings(rng=2, repeats=3, workers=n) for n in (1, 2))
    assert serial.ap.tolist() == two.ap.tolist()


def test_no_rankings_to_degrade_are_refused() -> None:
    """There must be relevant documents and others."""
    with pytest.raises(OptionError, match="Hint"):
        pw.studies.degrade_rankings(relevant=10, length=10)


def test_the_provenance_names_every_run(tmp_path: Path) -> None:
    """All files that a study over time looked at are told, not the first two."""
    for system in RUNS.systems:
        pw.write_run(RUNS, system, tmp_path / f"{system}.run")
    runs = pw.read_runs(tmp_path)
    over_time = pw.studies.similarity_over_time(runs)
    assert over_time.provenance.runs == runs.sources
    assert len(runs.sources) == len(RUNS.systems)
