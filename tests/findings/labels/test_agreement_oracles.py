"""Agreement and effects on conclusions, on real labels, to the digits that others computed."""

from pathlib import Path

import pytest

import poolwise as pw
from poolwise.collection import read_labels
from poolwise.findings.labels._agreement_counts import (
    ALPHAS,
    KAPPAS,
    alpha,
    coincidences,
    jackknife,
    kappa,
)
from poolwise.findings.labels._label_agreement import LabelAgreement, SetPair, agreement_of

GPT4, GPT4_2021 = "gpt4-umbrela", "gpt4-umbrela"
LLAMA70, LLAMA8, LLAMA8_ONE = (
    "llama3-70b-four-prompts",
    "llama3-8b-four-prompts",
    "llama3-8b-one-prompt",
)


@pytest.fixture(scope="module")
def found(data_dir: Path) -> dict[int, LabelAgreement]:
    """Return what ``agree`` says of both years, with runs."""
    return {
        year: pw.agree(
            *sorted((folder / "machine-labels").iterdir()),
            against=folder / "qrels.gz",
            runs=folder / "runs",
            resamples=1000 if year == 2019 else 0,
            reading=pw.Reading(ties="trec_eval9", names="file"),
        )
        for year, folder in ((y, data_dir / f"trec-dl-{y}") for y in (2019, 2021))
    }


def pair_of(agreement: LabelAgreement, name: str) -> SetPair:
    """Return a set beside the judgments."""
    return next(p for p in agreement.pairs if p.second.name == name and p.first.name == "qrels")


@pytest.mark.parametrize(
    ("year", "name", "kappas", "levels", "alphas"),
    [
        (2019, GPT4, (0.3385, 0.4717, 0.5807), (0.5099, 0.5123, 0.2414), (0.3309, 0.5797, 0.5764)),
        (
            2019,
            LLAMA70,
            (0.1666, 0.3255, 0.4611),
            (0.2921, 0.3877, 0.2550),
            (0.1190, 0.3912, 0.4079),
        ),
        (
            2019,
            LLAMA8,
            (0.1237, 0.2179, 0.3019),
            (0.2308, 0.2133, 0.1988),
            (0.0449, 0.1817, 0.1847),
        ),
        (
            2019,
            LLAMA8_ONE,
            (0.1284, 0.2320, 0.3221),
            (0.1982, 0.2723, 0.2078),
            (0.0493, 0.2255, 0.2365),
        ),
        (2021, GPT4, (0.3463, 0.4928, 0.6220), (0.5829, 0.4725, 0.3644), (0.3407, 0.6240, 0.6122)),
    ],
)
def test_agreement_with_nist(
    found: dict[int, LabelAgreement],
    *,
    year: int,
    name: str,
    kappas: tuple[float, ...],
    levels: tuple[float, ...],
    alphas: tuple[float, ...],
) -> None:
    """κ plain, linear, quadratic and by level, and α, are those of the counts over all topics."""
    pair = pair_of(found[year], name)
    assert [e.value for e in pair.kappas.values()] == pytest.approx(kappas, abs=1e-4)
    assert [e.value for e in pair.at_levels.values()] == pytest.approx(levels, abs=1e-4)
    assert list(pair.alphas.values()) == pytest.approx(alphas, abs=1e-4)


@pytest.mark.parametrize(
    ("year", "name", "halves"),
    [
        (2019, GPT4, (0.0692, 0.0839, 0.1089)),
        (2019, LLAMA70, (0.0483, 0.0639, 0.0835)),
        (2021, GPT4, (0.0554, 0.0619, 0.0678)),
    ],
)
def test_the_jackknife_on_the_plain_scale(
    found: dict[int, LabelAgreement], year: int, name: str, halves: tuple[float, ...]
) -> None:
    """The half-width over topics is t times the jackknife's standard error."""
    pair = pair_of(found[year], name)
    for weights, half in zip(KAPPAS.values(), halves, strict=True):
        seen = jackknife(
            pair.counts,
            lambda counts, w=weights: kappa(counts, w(pair.scales[0])),
            transformed=False,
        )
        assert (seen.high - seen.low) / 2 == pytest.approx(half, abs=1e-4)


def test_what_is_printed_is_on_the_scale_of_atanh(found: dict[int, LabelAgreement]) -> None:
    """The interval of κ is not symmetric, and lies a little below the plain one."""
    seen = pair_of(found[2019], GPT4).kappas["nominal"]
    assert seen.high - seen.value < seen.value - seen.low
    assert (seen.low, seen.high) == pytest.approx((0.268, 0.406), abs=6e-4)


def test_other_scales_are_compared_by_levels_alone(found: dict[int, LabelAgreement]) -> None:
    """κ of grades is refused between a binary scale, or one from 0 to 5, and NIST's."""
    binary = pair_of(found[2021], "gpt4o-binary")
    assert not binary.kappas
    assert binary.documents == 10_824, "four labels are missing, and none is taken as 0"
    assert binary.at_levels[1, 1].value == pytest.approx(0.599, abs=5e-4)
    assert binary.at_levels[2, 1].value == pytest.approx(0.449, abs=5e-4)
    llama = pair_of(found[2021], "llama32-binary")
    assert llama.at_levels[1, 1].value == pytest.approx(0.405, abs=5e-4)
    assert llama.at_levels[2, 1].value == pytest.approx(0.232, abs=5e-4)
    exam = pair_of(found[2021], "gpt4-exam")
    assert exam.at_levels[2, 4].value == pytest.approx(0.403, abs=5e-4)
    assert exam.at_levels[1, 3].value == pytest.approx(0.549, abs=5e-4)
    said = " ".join(found[2021].sentences())
    assert "gpt4o-binary has no label for 4 documents of qrels" in said


@pytest.mark.parametrize(
    ("year", "name", "orders", "bias", "pairs"),
    [
        (2019, GPT4, (0.8230, 0.7297, 0.6000), 0.0868, (1010, 71, 0, 224)),
        (2019, LLAMA70, (0.8557, 0.7305, 0.2952), 0.1722, (999, 82, 0, 120)),
        (2019, LLAMA8, (0.7858, 0.6135, -0.2381), 0.1516, (778, 303, 0, 57)),
        (2019, LLAMA8_ONE, (0.7428, 0.6071, -0.2762), 0.1505, (777, 304, 0, 64)),
        (2021, GPT4, (0.9241, 0.9149, 0.9020), 0.1419, (1405, 50, 0, 91)),
        (2021, "gpt4-exam", (0.8451, 0.8329, 0.7843), 0.1851, (1196, 259, 0, 73)),
        (2021, "gpt4o-binary", (0.9056, 0.8892, 0.8627), 0.2111, (1351, 104, 0, 76)),
        (2021, "llama32-binary", (0.7897, 0.6870, 0.5882), 0.2980, (1084, 369, 2, 148)),
    ],
)
def test_effects_on_conclusions(
    found: dict[int, LabelAgreement],
    *,
    year: int,
    name: str,
    orders: tuple[float, ...],
    bias: float,
    pairs: tuple[int, ...],
) -> None:
    """Orders of runs to .0005, and every pair that is kept, lost, reversed or gained."""
    seen = found[year].conclusions[name]
    assert (seen.tau, seen.tau_ap, seen.top) == pytest.approx(orders, abs=5e-4)
    assert seen.bias == pytest.approx(bias, abs=5e-4)
    assert (seen.kept, seen.lost, seen.reversed, seen.gained) == pairs


def test_the_order_under_resampled_topics(found: dict[int, LabelAgreement]) -> None:
    """τ under resampled topics, with another seed than the reference, within its error."""
    seen = found[2019].conclusions[GPT4]
    assert seen.tau_resampled == pytest.approx((0.705, 0.884), abs=0.015)
    assert seen.top_resampled == pytest.approx((0.05, 0.77), abs=0.05)


def test_favoured_runs_are_later_rerankers(found: dict[int, LabelAgreement]) -> None:
    """GPT-4 favours 14 runs of DL 2019, none of them official; Llama favours the same kind."""
    seen = found[2019].excesses[GPT4]
    assert len(seen.favoured) == 14
    place = seen.systems.index
    named = {
        "colbert_rankgpt4": (0.151, 0.050),
        "colbert_rankgpt4o": (0.144, 0.049),
        "tirex_rankgpt4": (0.127, 0.047),
        "colbert_rankzephyr": (0.120, 0.041),
    }
    assert seen.favoured[:4] == tuple(named)
    for run, (value, half) in named.items():
        assert seen.value[place(run)] == pytest.approx(value, abs=6e-4)
        assert seen.half_width[place(run)] == pytest.approx(half, abs=6e-4)
    assert seen.value[place("UNH_exDL_bm25")] == pytest.approx(-0.301, abs=6e-4)
    llama = found[2019].excesses[LLAMA70]
    assert len(llama.favoured) == 16
    assert llama.value[llama.systems.index("colbert_rankzephyr")] == pytest.approx(0.097, abs=6e-4)


def test_two_people_each(data_dir: Path) -> None:
    """The four pairs of assessors, and α of all eight with missing labels."""
    folder = data_dir / "trec-dl-2019" / "assessors"
    labels = read_labels(*sorted(folder.glob("*.two-each.txt")), people=["*"])
    by_size = [p for p in agreement_of(labels).pairs if p.documents > 1]
    assert [(p.documents, len(p.topics)) for p in by_size] == [
        (1111, 12), (1127, 9), (1131, 8), (1122, 14)
    ]  # fmt: skip
    assert [p.kappas["nominal"].value for p in by_size] == pytest.approx(
        [0.2280, 0.0840, 0.3316, 0.2353], abs=1e-4
    )
    assert [p.kappas["quadratic"].value for p in by_size] == pytest.approx(
        [0.5000, 0.2741, 0.5838, 0.4843], abs=1e-4
    )
    assert [p.at_levels[2, 2].value for p in by_size] == pytest.approx(
        [0.4018, 0.2182, 0.5393, 0.3919], abs=1e-4
    )
    counts = coincidences(labels.matrix(), labels.topic_of_document, labels.scale)
    for kind, value, half in zip(
        ALPHAS, (0.2043, 0.4207, 0.4244), (0.102, 0.153, 0.148), strict=True
    ):
        seen = jackknife(counts, lambda c, k=kind: alpha(c, labels.scale, k), transformed=False)
        assert seen.value == pytest.approx(value, abs=1e-4)
        assert (seen.high - seen.low) / 2 == pytest.approx(half, abs=6e-4)


def test_eight_people_on_three_topics(data_dir: Path) -> None:
    """28 pairs of people agree with κ from .090 to .535, and three topics give no interval."""
    folder = data_dir / "trec-dl-2019" / "assessors"
    labels = read_labels(*sorted(folder.glob("*.all-eight.txt")), people=["*"], scale=[0, 1, 2, 3])
    seen = agreement_of(labels)
    plain = sorted(p.kappas["nominal"].value for p in seen.pairs)
    assert len(plain) == 28
    assert (plain[0], plain[-1], sum(plain[13:15]) / 2) == pytest.approx(
        (0.090, 0.535, 0.213), abs=6e-4
    )
    assert not any(p.kappas["nominal"].has_interval for p in seen.pairs)
    assert [e.value for e in seen.people_alpha.values()] == pytest.approx(
        (0.2284, 0.4534, 0.4879), abs=1e-4
    )
    assert seen.sentences()[0] == (
        "Krippendorff's ordinal α of 8 people is 0.453 (over 3 topics); κ of a pair goes from "
        "0.090 (assessor8.all-eight with assessor4.all-eight) to 0.535 (assessor8.all-eight with "
        "assessor2.all-eight)."
    )
    matrix = seen.tables()[1]
    for pair in seen.pairs:
        i, j = sorted(labels.names.index(a.name) for a in (pair.first, pair.second))
        assert matrix.rows[j][i + 1] == pair.kappas["nominal"].value
        assert matrix.rows[i][j + 1] == pair.kappas["quadratic"].value


def test_a_machine_is_inside_the_range_of_people(data_dir: Path) -> None:
    """People agree with NIST from .001 to .259; GPT-4, on the same documents, .228."""
    folder = data_dir / "trec-dl-2019"
    seen = pw.agree(
        *sorted((folder / "assessors").glob("*.two-each.txt")),
        folder / "machine-labels" / "gpt4-umbrela.gz",
        against=folder / "qrels.gz",
        people=["assessor*"],
    )
    people = [
        p.kappas["nominal"].value
        for p in seen.pairs
        if p.first.name == "qrels" and not p.second.machine
    ]
    assert people == pytest.approx(
        [0.111, 0.180, 0.259, 0.025, 0.020, 0.001, 0.130, 0.207], abs=6e-4
    )
    assert "κ of gpt4-umbrela with qrels is 0.228: inside the range" in " ".join(seen.sentences())


def test_the_spread_over_the_prompts_of_one_judge(data_dir: Path) -> None:
    """Two prompts of one model are apart in κ and in the order of the best runs, and it is said."""
    folder = data_dir / "trec-dl-2019"
    seen = pw.agree(
        folder / "machine-labels" / f"{LLAMA8}.gz",
        folder / "machine-labels" / f"{LLAMA8_ONE}.gz",
        against=folder / "qrels.gz",
        runs=folder / "runs",
        judges={"llama3-8b": "llama3-8b-*"},
        resamples=0,
    )
    said = " ".join(seen.sentences())
    assert "Over 2 sets of llama3-8b, κ with qrels goes from 0.124 to 0.128." in said
    assert "The τ_b of the best 15 goes from −0.28 to −0.24." in said
    assert f"From {LLAMA8} to {LLAMA8_ONE}, grades move by" in said
