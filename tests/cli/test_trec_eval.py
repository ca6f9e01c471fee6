"""``poolwise trec_eval`` prints what trec_eval prints."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import pytrec_eval
from click.testing import Result

from poolwise.views import trec_eval_lines
from poolwise.workflows import trec_eval

Command = Callable[..., Result]
COUNTS = ("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")


@pytest.mark.usefixtures("collection")
def test_the_default_list_is_the_official_one(run: Command) -> None:
    """Without `-m`, the thirty lines of trec_eval's official list, in its order and format."""
    lines = run("trec_eval", "qrels.txt", "runs/bm25.run").stdout.splitlines()
    assert lines[:6] == [
        "runid                 \tall\tbm25",
        "num_q                 \tall\t3",
        "num_ret               \tall\t6",
        "num_rel               \tall\t3",
        "num_rel_ret           \tall\t3",
        "map                   \tall\t0.6111",
    ]
    assert lines[10] == "iprec_at_recall_0.00  \tall\t0.6667"
    assert lines[-1] == "P_1000                \tall\t0.0010"
    assert len(lines) == 30


@pytest.mark.usefixtures("collection")
def test_complete_averages_over_all_judged_topics(run: Command) -> None:
    """`-c` lets a topic that the run lacks count with 0 in the mean; 9 does not print it."""
    plain = run("trec_eval", "-m", "recip_rank", "-m", "num_q", "qrels.txt", "runs/dense.run")
    words = ("trec_eval", "-c", "-q", "-m", "recip_rank", "--like", "9")
    complete = run(*words, "qrels.txt", "runs/dense.run")
    assert plain.stdout.split() == ["num_q", "all", "2", "recip_rank", "all", "0.2500"]
    assert complete.stdout.split()[1::3] == ["1", "2", "all"]
    assert complete.stdout.split()[-1] == "0.1667"


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("-m", "P.5,2"), ["P_2 all 0.3333", "P_5 all 0.2000"]),
        (("-m", "P_5"), ["P_5 all 0.2000"]),
        (("-l2", "-m", "map"), ["map all 0.1111"]),
        (("-M1", "-m", "num_ret"), ["num_ret all 3"]),
        (("-J", "-m", "num_ret"), ["num_ret all 5"]),
        (("-m", "gm_map"), ["gm_map all 0.0203"]),
        (("-m", "unj.2"), ["unj_2 all 0.1667"]),
        (("-N10", "-m", "utility.1,-1,0,0.5"), ["utility_1,-1,0,0.5 all 4.0000"]),
    ],
)
def test_options_do_what_they_do_there(
    run: Command, words: tuple[str, ...], expected: list[str]
) -> None:
    """Cut-offs, relevance level, depth, judged documents only, and parameters."""
    lines = run("trec_eval", *words, "qrels.txt", "runs/bm25.run").stdout.splitlines()
    assert [" ".join(line.split()) for line in lines] == expected


@pytest.mark.usefixtures("collection")
def test_grades_are_printed_as_a_string(run: Command) -> None:
    """`relstring` shows grades, `-` for unjudged, and only topic by topic."""
    result = run("trec_eval", "-q", "-m", "relstring", "qrels.txt", "runs/bm25.run")
    assert result.stdout.splitlines()[0] == "relstring             \t1\t'1-2'"
    assert "all" not in result.stdout


def test_distances_from_references_are_marked(collection: Path, run: Command) -> None:
    """`-Z` prints a Z before each name, four decimals for counts too, and a mark for none."""
    (collection / "z").write_text("1 map 0.5 0.25\n2 map 1 0\n3 map 0.1 0.1\n1 num_ret 2 0.5\n")
    words = ("trec_eval", "-q", "-Z", "z", "-m", "map", "-m", "num_ret", "-m", "num_q")
    lines = run(*words, "qrels.txt", "runs/bm25.run").stdout.splitlines()
    assert lines == [
        "Znum_ret               \t1\t2.0000",
        "Zmap                   \t1\t1.3333",
        "Znum_ret               \t2\t-1000000.0000",
        "Zmap                   \t2\t0.0000",
        "Znum_ret               \t3\t-1000000.0000",
        "Zmap                   \t3\t-1.0000",
        "Znum_q                 \tall\t3.0000",
        "Znum_ret               \tall\t-1999998.0000",
        "Zmap                   \tall\t0.1111",
    ]


@pytest.mark.usefixtures("collection")
def test_an_unknown_measure_is_refused(run: Command) -> None:
    """The error lists what there is."""
    result = run("trec_eval", "-m", "mapp", "qrels.txt", "runs/bm25.run")
    assert result.exit_code == 3
    assert "'mapp' is not a measure of trec_eval" in result.stderr


def reference_lines(evaluation: dict[str, dict[str, float]]) -> set[str]:
    """Write pytrec_eval's numbers, which are trec_eval 9.0.8's, in trec_eval's format."""
    skipped = {"runid", "num_q", "gm_map", "gm_bpref", "relstring"}
    return {
        f"{name:<22}\t{topic}\t" + (f"{value:.0f}" if name in COUNTS else f"{value:6.4f}")
        for topic, values in evaluation.items()
        for name, value in values.items()
        if name not in skipped
    }


@pytest.mark.parametrize(
    ("collection_name", "name"),
    [
        ("trec8", "apl8n"),
        ("trec8", "READWARE2"),
        ("trec8", "acsys8aln2"),
        ("trec8", "uwmt8a0"),
        ("trec-dl-2019", "p_bert"),
        ("trec-dl-2019", "tirex_rankgpt4"),
    ],
)
def test_every_line_is_that_of_trec_eval_9(data_dir: Path, collection_name: str, name: str) -> None:
    """All measures of `-q -m all_trec`, every topic, to the last printed digit."""
    folder = data_dir / collection_name
    path = folder / "runs" / f"{name}.gz"
    with gzip.open(folder / "qrels.gz", "rt") as qrels, gzip.open(path, "rt") as run:
        judge = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"all_trec"})
        expected = reference_lines(judge.evaluate(pytrec_eval.parse_run(run)))
    options = {"measures": ("all_trec",), "per_topic": True, "summary": False, "like": "9"}
    printed = trec_eval_lines(trec_eval(folder / "qrels.gz", path, **options))
    assert {line for line in printed if not line.startswith("relstring")} == expected


@pytest.mark.usefixtures("collection")
def test_what_trec_eval_takes_by_default_may_be_said(run: Command) -> None:
    """`-R qrels -T trec_results` changes nothing; other formats are refused."""
    files = ("qrels.txt", "runs/bm25.run")
    said = ("-R", "qrels", "-T", "trec_results", "-M", "1000", "-l", "1")
    plain = run("trec_eval", *files).stdout
    assert run("trec_eval", *said, *files).stdout == plain
    for refused in (("-R", "prefs"), ("-T", "other"), ("-l", "-1")):
        assert run("trec_eval", *refused, *files).exit_code == 3
