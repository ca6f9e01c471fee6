"""Names into measures."""

import subprocess
import sys

import pytest
from tests.each import over

from poolwise import (
    AP,
    RBP,
    RR,
    Evidence,
    IPrec,
    Judged,
    Measure,
    P,
    R,
    Success,
    nDCG,
    parse_measure,
    score,
)
from poolwise.errors import MeasureError
from poolwise.measures import _names


@over(
    "typed, meant",
    [
        *((n, nDCG @ 10) for n in ("ndcg_cut_10", "ndcg_cut.10", "ndcg@10", "NDCG@10")),
        ("ndcg_at_10", nDCG @ 10),
        ("ndcg", nDCG),
        ("ndcg_burges@10", nDCG(dcg="exp-log2") @ 10),
        *((n, AP) for n in ("map", "ap", "MAP", "average_precision")),
        *((n, AP @ 100) for n in ("map_cut_100", "map@100", "MAP@100", "map_at_100")),
        *((n, AP(rel=2)) for n in ("map-l2", "AP(rel=2)", "AP( rel = 2 )")),
        ("map@100-l2", AP(rel=2) @ 100),
        *((n, RR) for n in ("recip_rank", "mrr", "reciprocal_rank")),
        *((n, RR @ 10) for n in ("mrr@10", "MRR@10")),
        *((n, P @ 10) for n in ("P_10", "precision@10", "p@10", " P@10 ", "prec@10")),
        *((n, R @ 100) for n in ("recall_100", "recall@100", "Recall@100")),
        *((n, Success @ 1) for n in ("success_1", "hit_rate@1", "HitRate@1")),
        *((n, IPrec @ 0.1) for n in ("iprec_at_recall_0.10", "IPrec@.1")),
        *((n, RBP(p=0.8)) for n in ("rbp.80", "rbp.8", "rbp_0.8", "rbp", "RBP(p=0.8)")),
        ("rbp.95@10", RBP(p=0.95) @ 10),
        ("rbp@10", RBP(p=0.8) @ 10),
        ("Judged@10", Judged @ 10),
    ],
)
def test_other_tools_names_are_understood(typed: str, meant: Measure) -> None:
    """What people type for trec_eval, ranx, BEIR and MTEB is read as our measure."""
    assert parse_measure(typed) == meant


@over(
    "typed, canonical",
    [
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"),
        ("set_F_4", "SetF(beta=2)"),
        ("set_F", "SetF"),
        ("num_rel_ret", "NumRet(rel=1)"),
        ("NumRelRet", "NumRet(rel=1)"),
        ("11pt_avg", "AvgIPrec"),
        ("relative_P_5", "nP@5"),
        ("R_cap@100", "nP@100"),
        ("dcg_burges@10", "DCG(dcg='exp-log2')@10"),
        ("unj_10", "Unjudged@10"),
        ("Hole@10", "Unjudged@10"),
        ("r-precision", "Rprec"),
        ("AP(rel=2.0)@100", "AP(rel=2)@100"),
        ("RBP(gain='linear')", "RBP(p=0.8,gain='linear')"),
    ],
)
def test_the_canonical_name_is_printed(typed: str, canonical: str) -> None:
    """A measure prints its canonical name, whatever was typed."""
    assert repr(parse_measure(typed)) == canonical


def test_a_measure_passes_through() -> None:
    """What is a measure already is returned as it is."""
    assert parse_measure(nDCG @ 10) is not None
    assert parse_measure(nDCG @ 10) == nDCG @ 10


@over(
    "typed, said",
    [
        ("nDGC@10", "did you mean nDCG@10?"),
        ("ncdg@10", "did you mean nDCG@10?"),
        ("ncdg_cut_10", "did you mean nDCG@10?"),
        ("dncg(dcg='exp-log2')@5", "did you mean nDCG(dcg='exp-log2')@5?"),
        ("ncdg(dcg='ln')@10", "did you mean nDCG?"),
        ("recal@100", "did you mean R@100?"),
        ("Sucess@1", "did you mean Success@1?"),
        ("brpef", "did you mean Bpref?"),
        ("mpa", "did you mean AP?"),
        ("nDCG10", "did you mean nDCG@10?"),
        ("recall100", "did you mean R@100?"),
        ("map@k", "a cut-off is a number, as in AP@10; got 'k'"),
        ("nDCG@-1", "a cut-off is a number, as in nDCG@10; got '-1'"),
        ("nDCG@ten", "a cut-off is a number, as in nDCG@10; got 'ten'"),
        ("nDCG@10 AP", "2 measures, nDCG@10 and AP"),
        ("nDCG@10;P@5;RR", "3 measures, nDCG@10, P@5 and RR"),
        ("RBP(0.8)", "Hint: write RBP(p=0.8)."),
        ("clicks", "is not a measure. Hint: `poolwise measures`"),
        ("", "is not a measure"),
        ("AP(", "is not a measure"),
        ("@10", "is not a measure"),
        ("P", "write P@10"),
        ("IPrec", "write IPrec@0.1"),
        ("AP(2)", "name=value"),
        ("AP(rel=)", "name=value"),
        ("AP(rel=x)", "name=value"),
        ("AP(**{})", "not one of its parameters"),
        ("AP(level=2)", "use rel, cutoff"),
        ("AP(rel='2')", "it is a number"),
        ("AP(rel=True)", "it is a number"),
        ("nDCG(dcg=2)", "it is a text"),
        ("nDCG(dcg='ln')", "log2, exp-log2, jk, exp-jk"),
        ("nDCG(base=3)", "base goes with dcg='jk'"),
        ("nDCG-l2", "not one of its parameters"),
        ("RBP(p=1)", "between 0 and 1"),
        ("RBP(gain='log')", "binary, linear, exponential"),
        ("RBP(gain='linear',rel=2)", "rel goes with gain='binary'"),
        ("AP@0", "from 1 to"),
        ("AP@2.5", "from 1 to"),
        ("AP@10.0", "from 1 to"),
        ("Bpref@10", "it has no cut-off"),
        ("IPrec@1.5", "from 0 to 1"),
        ("INST(T=0)", "0.5 or more"),
        ("P@10(rel=2)", "write P(rel=2)@10"),
        ("nDCG@10,AP", "these are 2 measures, nDCG@10 and AP"),
        ("GMAP", "score AP, with --average geometric"),
        ("RBA", "call poolwise.findings.rank_biased_alignment"),
        ("rbr(p=0.9)", "call poolwise.findings.rank_biased_recall"),
        ("AP(judged_only=True)", "--treatment condensed"),
        ("nDCG(gains={1:1,2:5})@10", "write the gains as grades"),
        ("SetP(relative=True)", "SetRelP"),
    ],
)
def test_a_wrong_name_says_how_to_mend_it(typed: str, said: str) -> None:
    """Every error names what was typed, or the measure, and what to write."""
    with pytest.raises(MeasureError) as error:
        parse_measure(typed)
    assert said in str(error.value)
    assert "Hint: " in str(error.value)


@over(
    "name, what",
    [
        ("RBP(p=0.5,p=0.6)", "each parameter"),
        ("nDCG(dcg='jk',base=2,base=3)@10", "each parameter"),
        ("P@10@20", "the cut-off"),
        ("P(cutoff=5)@20", "the cut-off"),
        ("ndcg_cut_10@20", "the cut-off"),
    ],
)
def test_what_is_given_twice_is_refused(name: str, what: str) -> None:
    """Nobody can tell which of two values was meant."""
    with pytest.raises(MeasureError, match=f"{what} must be given once"):
        parse_measure(name)
    assert str(parse_measure("rbp.95@10")) == "RBP(p=0.95)@10"


def test_every_spelling_has_one_measure() -> None:
    """What is looked up first among the usual measures is what would be found among all."""
    for spelling, alias in _names._spellings().items():
        assert _names._find(spelling) == alias, spelling


def test_the_usual_measures_do_without_the_others() -> None:
    """A plain evaluation loads neither the measures of samples nor those of subtopics."""
    program = (
        "import sys; from poolwise.measures._names import parse_measure; parse_measure('nDCG@10'); "
        "print([m for m in sys.modules if 'diversity' in m or 'measures.sampled' in m])"
    )
    ran = subprocess.run(  # noqa: S603 -- ours
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "measures" not in ran.stdout


def test_a_list_of_one_measure_is_that_measure() -> None:
    """Where one measure is taken, a list of one will do; a longer one is refused."""
    evidence = Evidence.from_grades([[1, 0]])
    assert score(evidence, [P @ 1]).means().tolist() == [1.0]
    with pytest.raises(MeasureError, match="one is needed here; got 2, P@1, AP"):
        score(evidence, [P @ 1, AP])
