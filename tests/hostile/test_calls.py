"""Calls that cannot be right, from Python and from the command line: one table, one sentence each.

Files that cannot be right have a table of their own.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from tests.each import over

import poolwise as pw
from poolwise.cli.main import main

WRONG_INPUT = 3
QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}, "y": {"1": {"b": 1.0}}}
TABLE = pw.ScoreTable.from_matrix([[0.1, 0.4], [0.3, 0.2]], systems="xy", topics="12", measure="P")
BOTH = ("qrels", "runs")
NAN = float("nan")


class Case(NamedTuple):
    """A wrong call: what is said of it, and how it is made."""

    sentence: str
    call: Callable[[], Any] | None = None
    words: tuple[str, ...] = ()


CASES = {
    # ---- what to read
    "no runs": Case("there must be one at least", lambda: pw.evaluate(QRELS, [])),
    "no run in a dict": Case("there must be at least one entry", lambda: pw.evaluate(QRELS, {})),
    "nothing for judgments": Case("source: None cannot be read", lambda: pw.evaluate(None, RUNS)),
    "a number for runs": Case(
        "an object of the type int cannot be read", lambda: pw.evaluate(QRELS, 3)
    ),
    "a number for a topic's grades": Case(
        "a topic must map documents to numbers", lambda: pw.evaluate({"1": 3}, RUNS)
    ),
    "a grade among ids": Case(
        "an id must be a string or a whole number", lambda: pw.evaluate({"1": ["a", 0.5]}, RUNS)
    ),
    "a dict of runs for judgments": Case(
        "these must be judgments, and they look like runs", lambda: pw.evaluate(RUNS, QRELS)
    ),
    "runs for judgments": Case(
        "judgments: these are runs. Hint: pass the judgments first",
        lambda: pw.evaluate(pw.read_runs(RUNS), QRELS),
    ),
    "judgments for runs": Case(
        "runs: these are judgments. Hint: pass the judgments first",
        lambda: pw.compare(QRELS, pw.read_judgments(QRELS)),
    ),
    "records of a run for judgments": Case(
        "these must be judgments, and they look like runs",
        lambda: pw.evaluate([("1", "Q0", "a", 1, 0.5, "x")], RUNS),
    ),
    "records of judgments for runs": Case(
        "these must be runs, and they look like judgments",
        lambda: pw.evaluate(QRELS, [("1", "0", "a", 1)]),
    ),
    "records of different kinds": Case(
        "every record must have the field 'qid', as the first has",
        lambda: pw.evaluate(QRELS, [{"qid": "1", "docno": "a"}, ("1", "a")]),
    ),
    "a dataset that ir_datasets does not know": Case(
        "irds:nope: ir_datasets must know a dataset of this id",
        lambda: pw.evaluate("irds:nope", RUNS),
    ),
    "a score beyond floats": Case(
        "must be finite", lambda: pw.evaluate(QRELS, {"x": {"1": {"a": 10**400}}})
    ),
    "a grade beyond floats": Case(
        "must be finite", lambda: pw.evaluate({"1": {"a": -(10**400)}}, RUNS)
    ),
    "a score that is no number": Case(
        "must be a number; got 'high'", lambda: pw.evaluate(QRELS, {"x": {"1": {"a": "high"}}})
    ),
    "a score of nothing": Case(
        "must be a number; got 'None'", lambda: pw.evaluate(QRELS, {"x": {"1": {"a": None}}})
    ),
    "a score of NaN": Case(
        "must be finite; got 'nan'", lambda: pw.evaluate(QRELS, {"x": {"1": {"a": NAN}}})
    ),
    "half a character in a document": Case(
        "half a pair of surrogates", lambda: pw.evaluate(QRELS, {"x": {"1": {"\ud800": 1.0}}})
    ),
    "half a character in a topic": Case(
        "half a pair of surrogates", lambda: pw.evaluate({"\ud800": {"a": 1}}, RUNS)
    ),
    "half a character in a run": Case(
        "half a pair of surrogates", lambda: pw.evaluate(QRELS, {"\ud800": {"1": {"a": 1.0}}})
    ),
    "a fraction for a topic": Case(
        "an id must be a string or a whole number", lambda: pw.evaluate({1.5: {"a": 1}}, RUNS)
    ),
    "a line break in an id": Case(
        "an id must not hold a line break", lambda: pw.evaluate({"1": {"a\nb": 1}}, RUNS)
    ),
    "a file that is not there": Case(
        "nowhere: the file must exist",
        lambda: pw.evaluate("nowhere", RUNS),
        ("evaluate", "nowhere", "runs"),
    ),
    "a glob without a match": Case(
        "a glob must match a file", lambda: pw.evaluate(QRELS, "no*"), ("evaluate", "qrels", "no*")
    ),
    "groups that are not there": Case(
        "nowhere: a groups file must be readable",
        lambda: pw.report(QRELS, RUNS, groups="nowhere"),
        ("report", *BOTH, "--groups", "nowhere"),
    ),
    "scores that are not there": Case(
        "nowhere", lambda: pw.read_score_matrix("nowhere"), ("power", "--scores", "nowhere")
    ),
    "references that are not UTF-8": Case(
        "odd:1: a line must hold topic, measure, mean and standard deviation",
        words=("trec_eval", "qrels", "runs/x.run", "-Z", "odd"),
    ),
    "references that are not there": Case(
        "nowhere: the file must exist",
        lambda: pw.trec_eval(QRELS, RUNS, references="nowhere"),
        ("trec_eval", "qrels", "runs/x.run", "-Z", "nowhere"),
    ),
    "topics that are not UTF-8": Case(
        "topics: '\\udcff' is not known",
        words=("study", "comparability", *BOTH, "-m", "P@2", "--second", "odd"),
    ),
    "groups that are not UTF-8": Case(
        "odd:1: a line must hold a run and its group",
        words=("report", *BOTH, "--groups", "odd", "-o", "out.html"),
    ),
    "several runs for trec_eval": Case(
        "run: trec_eval looks at one run; got x, y",
        lambda: pw.trec_eval(QRELS, RUNS),
        ("trec_eval", *BOTH),
    ),
    "a result for a table": Case(
        "table: must be a ScoreTable; got Evaluation",
        lambda: pw.compare_scores(pw.evaluate(QRELS, RUNS, "P@1")),  # type: ignore[arg-type]
    ),
    "judgments for scores": Case(
        "qrels:1: the file must hold scores by topic, and this looks like judgments",
        words=("power", "--scores", "qrels"),
    ),
    "a run for scores": Case(
        "runs/x.run:1: the file must hold scores by topic, and this looks like a run",
        words=("compare", "--scores", "runs/x.run"),
    ),
    "a converted file that is not there": Case(
        "nowhere: the file must exist. Hint: check the path",
        words=("convert", "nowhere", "--to", "jsonl", "-o", "out"),
    ),
    # ---- files that nothing is written to
    **{
        f"no output of {words[0]}": Case("Missing option '-o' / '--output'", words=words)
        for words in (
            ("sample", "runs"),
            ("merge", "qrels", "qrels"),
            ("convert", "qrels", "--to", "jsonl"),
        )
    },
    **{
        f"a result in a file of {ending}": Case(
            f"no format of a result ends in {ending}", words=("evaluate", *BOTH, "-o", f"x{ending}")
        )
        for ending in (".docx", ".xlsx", ".pdf", ".png")
    },
    # ---- options that do not exist
    **{
        f"an unknown option of {name}": Case(
            f"{name}: there is no option 'nope'. Hint: it takes", call
        )
        for name, call in {
            "evaluate": lambda: pw.evaluate(QRELS, RUNS, nope=1),
            "compare": lambda: pw.compare(QRELS, RUNS, nope=1),
            "estimate": lambda: pw.estimate(QRELS, RUNS, nope=1),
            "report": lambda: pw.report(QRELS, RUNS, nope=1),
            "audit": lambda: pw.audit(QRELS, RUNS, nope=1),
            "pool": lambda: pw.pool(QRELS, RUNS, depth=1, nope=1),
            "similarity": lambda: pw.similarity(RUNS, nope=1),
            "trec_eval": lambda: pw.trec_eval(QRELS, RUNS, nope=1),
        }.items()
    },
    "an unknown option of a command": Case("No such option", words=("evaluate", *BOTH, "--nope")),
    "an unknown command": Case("No such command 'nope'", words=("nope",)),
    "no input at all": Case("Missing argument", words=("evaluate",)),
    # ---- choices that do not exist
    **{
        f"an unknown choice of {option}": Case(sentence, call, ("evaluate", *BOTH, *words))
        for option, sentence, call, words in (
            (
                "topics",
                "some",
                lambda: pw.evaluate(QRELS, RUNS, topics="some"),
                ("--topics", "some"),
            ),
            ("bounds", "odd", lambda: pw.evaluate(QRELS, RUNS, bounds="odd"), ("--bounds", "odd")),
            ("ties", "odd", lambda: pw.Reading(ties="odd"), ("--ties", "odd")),
            (
                "duplicates",
                "odd",
                lambda: pw.Reading(duplicates="odd"),
                ("--duplicates", "odd"),
            ),
            (
                "residual",
                "odd",
                lambda: pw.evaluate(QRELS, RUNS, residual="odd"),
                ("--residual", "odd"),
            ),
        )
    },
    "an unknown test": Case(
        "'odd'",
        lambda: pw.compare(QRELS, RUNS, test="odd"),
        ("compare", *BOTH, "--test", "odd"),
    ),
    "an unknown correction": Case(
        "'odd'",
        lambda: pw.compare(QRELS, RUNS, correction="odd"),
        ("compare", *BOTH, "--correction", "odd"),
    ),
    "an unknown baseline": Case(
        "'z' is not known. Hint: use one of x, y",
        lambda: pw.compare(QRELS, RUNS, baseline="z"),
        ("compare", *BOTH, "--baseline", "z"),
    ),
    "an unknown topic": Case(
        "topics: 'z' is not known",
        lambda: pw.similarity(RUNS, topics=["z"]),
        ("similarity", "runs", "--topic", "z"),
    ),
    "an unknown mapping": Case(
        "'odd'",
        lambda: pw.standardize(TABLE, mapping="odd"),
        ("standardize", *BOTH, "-m", "P@2", "--mapping", "odd"),
    ),
    "an unknown format": Case("'odd'", words=("evaluate", *BOTH, "--format", "odd")),
    "an unknown picture": Case(
        "'docx' is not known", words=("evaluate", *BOTH, "-m", "P@2", "--plot", "x.docx")
    ),
    # ---- measures
    "no measure": Case("measures: at least one is needed", lambda: pw.evaluate(QRELS, RUNS, [])),
    "nothing as a measure": Case(
        "measures: must be a Measure, a text or a list of Measures or texts; got None",
        lambda: pw.evaluate(QRELS, RUNS, None),
    ),
    "a number as a measure": Case("'3' is not a measure", lambda: pw.evaluate(QRELS, RUNS, [3])),
    "an unknown measure": Case(
        "'nDGC@10' is not a measure. Hint: did you mean nDCG@10?",
        lambda: pw.evaluate(QRELS, RUNS, "nDGC@10"),
        ("evaluate", *BOTH, "-m", "nDGC@10"),
    ),
    "a cut-off of 0": Case(
        "a cut-off is a whole number of ranks",
        lambda: pw.parse_measure("nDCG@0"),
        ("explain", "nDCG@0"),
    ),
    "a persistence of 2": Case(
        "p is a probability", lambda: pw.parse_measure("RBP(p=2)"), ("explain", "RBP(p=2)")
    ),
    "code as a parameter": Case(
        "parameters are written name=value",
        lambda: pw.parse_measure("RBP(p=__import__('os'))"),
        ("explain", "RBP(p=__import__('os'))"),
    ),
    **{
        f"a measure of {kind}": Case(sentence, lambda name=name: pw.evaluate(QRELS, RUNS, name))
        for kind, name, sentence in (
            ("a million characters", "P" * 10**6, "a measure's name has at most 200 characters"),
            ("a million blanks inside", f"P{' ' * 10**6}@5", "at most 200 characters"),
            ("5,000 digits", f"P@{'9' * 5000}", "at most 200 characters"),
            ("a thousand measures", "HT(" * 1000 + "AP" + ")" * 1000, "at most 200 characters"),
            ("twenty digits", "nDCG@99999999999999999999", "a cut-off is a whole number of ranks"),
            ("eleven digits", "RBP(p=0.8)@10000000000", "a cut-off is a whole number of ranks"),
            ("a cut-off above ten million", "AP@10000001", "from 1 to 10,000,000"),
            ("brackets", f"AP({'[' * 90}{']' * 90})", "parameters are written name=value"),
            ("a power", "AP(rel=9**9**9)", "parameters are written name=value"),
        )
    },
    "a measure of a million characters to explain": Case(
        "at most 200 characters", words=("explain", "Q" * 100_000)
    ),
    # ---- journals, cards, labels and campaigns
    **{
        f"half a character in the path of {what}": Case(
            "a path must not hold NUL, or half a pair of surrogates", call
        )
        for what, call in (
            ("a journal", lambda: pw.journal("\ud800").show()),
            ("groups of a card", lambda: pw.make_card(QRELS, RUNS, "P@1", groups="\ud800")),
            ("a campaign", lambda: pw.workflows.Campaign.make("\ud800", measures=["P@1"])),
        )
    },
    "half a character in the path of an order": Case(
        "a list of topics must be a readable file",
        lambda: pw.journal("a").start(delta=1, sigma=1, measure="AP", order="\ud800"),
    ),
    "looks of 400 digits": Case(
        "looks are 2 to 10,000 topics apart",
        lambda: pw.journal("a").start(delta=1, sigma=1, measure="AP", look_every=10**400),
    ),
    "no labels": Case("at least one set is needed", lambda: pw.collection.read_labels({})),
    "a set of labels and no labels": Case(
        "by: this is about labels, and there are none",
        lambda: pw.gate(QRELS, RUNS, "P@1", baseline=RUNS, by="gpt"),
    ),
    # ---- ids that are the same once they are text
    "a topic as number and as text": Case(
        "two keys stand for the same; got '1'",
        lambda: pw.evaluate({1: {"a": 1}, "1": {"b": 1}}, RUNS),
    ),
    "a topic of a run as number and as text": Case(
        "two keys stand for the same; got '1'",
        lambda: pw.evaluate(QRELS, {"x": {1: {"a": 1.0}, "1": {"b": 1.0}}}),
    ),
    "a document as number and as text": Case(
        "a document may occur once in a topic", lambda: pw.evaluate({"1": {1: 1, "1": 0}}, RUNS)
    ),
    "a system as number and as text": Case(
        "each system have a name of its own",
        lambda: pw.evaluate(QRELS, {1: {"1": {"a": 1.0}}, "1": {"1": {"b": 1.0}}}),
    ),
    "judgments made of one topic twice": Case(
        "two keys stand for the same",
        lambda: pw.Judgments.from_dict({1: {"a": 1}, "1": {"b": 1}}),  # type: ignore[dict-item]
    ),
    # ---- paths that are none
    **{
        f"an empty path for {what}": Case("a path must not be empty", call, words)
        for what, call, words in (
            ("judgments", lambda: pw.evaluate("", RUNS), ("evaluate", "", "runs")),
            ("runs", lambda: pw.evaluate(QRELS, ""), ("evaluate", "qrels", "")),
            ("one of the runs", lambda: pw.evaluate(QRELS, [""]), ("evaluate", *BOTH, "")),
            ("groups", None, ("report", *BOTH, "--groups", "")),
            ("scores", lambda: pw.read_score_matrix(""), ("power", "--scores", "")),
            ("topics", None, ("evaluate", *BOTH, "--topics", "")),
            ("what to convert", None, ("convert", "", "--to", "csv", "-o", "out")),
            ("what to merge", None, ("merge", "qrels", "", "-o", "out")),
            ("a baseline", None, ("gate", "qrels", "runs/x.run", "--baseline", "")),
        )
    },
    **{
        f"{kind} in a path": Case(
            "a path must not hold NUL, or half a pair of surrogates",
            lambda path=path: pw.evaluate(path, RUNS),
        )
        for kind, path in (("NUL", "a\0b"), ("NUL alone", "\0"), ("half a character", "\ud800"))
    },
    # ---- more than a machine holds
    **{
        f"a simulation of {kind}": Case(sentence, lambda sizes=sizes: pw.simulate(**sizes))
        for kind, sizes, sentence in (
            ("10⁹ systems and topics", {"systems": 10**9, "topics": 10**9}, "at most 1000000000"),
            ("10⁹ systems", {"systems": 10**9}, "at most 1000000000"),
            ("10⁴⁰ topics", {"topics": 10**40}, "at most 1000000000"),
            ("a million lists too deep", {"depth": 10**6}, "depth: must be at least 1 and at most"),
        )
    },
    # ---- numbers out of range
    "a seed below 0": Case(
        "-1", lambda: pw.compare(QRELS, RUNS, rng=-1), ("compare", *BOTH, "--seed", "-1")
    ),
    "a seed of estimates below 0": Case(
        "-1", lambda: pw.estimate(QRELS, RUNS, rng=-1), ("estimate", *BOTH, "--seed", "-1")
    ),
    "a seed of a simulation below 0": Case(
        "rng: a seed is a whole number", lambda: pw.simulate(systems=2, topics=2, depth=5, rng=-1)
    ),
    "a fraction as a seed": Case("got 1.5", lambda: pw.estimate(QRELS, RUNS, rng=1.5)),
    "a word as a seed": Case(
        "'x'", lambda: pw.estimate(QRELS, RUNS, rng="x"), ("estimate", *BOTH, "--seed", "x")
    ),
    "a fraction of a worker": Case(
        "workers: must be a whole number other than 0; got 1.5",
        lambda: pw.evaluate(QRELS, RUNS, reading=pw.Reading(workers=1.5)),
    ),
    "no worker": Case(
        "workers: must be a whole number other than 0; got 0",
        lambda: pw.evaluate(QRELS, RUNS, reading=pw.Reading(workers=0)),
        (
            *("study", "depth", *BOTH, "-m", "P@2"),
            *("--pool-depths", "1,2", "--depths", "1", "--workers", "0"),
        ),
    ),
    "a level of 2": Case(
        "alpha: a significance level is between 0 and 1; got 2",
        lambda: pw.compare(QRELS, RUNS, alpha=2),
        ("compare", *BOTH, "--alpha", "2"),
    ),
    "a level that is no number": Case(
        "alpha: must be a number; got 'x'",
        lambda: pw.compare(QRELS, RUNS, alpha="x"),
    ),
    "a level of NaN": Case(
        "between 0 and 1; got nan",
        lambda: pw.compare(QRELS, RUNS, alpha=NAN),
        ("compare", *BOTH, "--alpha", "nan"),
    ),
    "fewer draws than none": Case(
        "-1", lambda: pw.compare(QRELS, RUNS, draws=-1), ("compare", *BOTH, "--draws", "-1")
    ),
    "no resamples": Case(
        "0",
        lambda: pw.compare(QRELS, RUNS, test="randomization", resamples=0),
        ("compare", *BOTH, "--test", "randomization", "--resamples", "0"),
    ),
    "a pool of no ranks": Case(
        "depth: must be at least 1",
        lambda: pw.pool(QRELS, RUNS, depth=0),
        ("pool", "runs", "--grades-from", "qrels", "--depth", "0", "-o", "out"),
    ),
    "a pool deeper than the runs": Case(
        "no deeper than the longest list; got 99",
        lambda: pw.pool(QRELS, RUNS, depth=99),
        ("pool", "runs", "--grades-from", "qrels", "--depth", "99", "-o", "out"),
    ),
    "a persistence of NaN": Case(
        "persistence must be at least 0 and less than 1",
        lambda: pw.similarity(RUNS, p=NAN),
        ("similarity", "runs", "--p", "nan"),
    ),
    "no ranks to compare": Case(
        "depth: must be at least 1",
        lambda: pw.similarity(RUNS, depth=0),
        ("similarity", "runs", "--depth", "0"),
    ),
    "no difference to detect": Case(
        "delta: 0",
        lambda: pw.power(delta=0, sigma=1, power=0.8),
        ("power", "--delta", "0", "--sigma", "1"),
    ),
    "a difference of NaN": Case(
        "delta: nan",
        lambda: pw.power(delta=NAN, sigma=1, power=0.8),
        ("power", "--delta", "nan", "--sigma", "1"),
    ),
    "nothing left to solve for": Case("exactly one must be left", words=("power",)),
    "no system to simulate": Case(
        "systems: must be at least 1; got 0", lambda: pw.simulate(systems=0, rng=1)
    ),
    # ---- too little to work with
    "one run to compare": Case(
        "a comparison needs two systems; got 1",
        lambda: pw.compare(QRELS, {"x": RUNS["x"]}),
        ("compare", "qrels", "runs/x.run"),
    ),
    "one run to overlap": Case(
        "similarity is between runs; got 1",
        lambda: pw.similarity({"x": RUNS["x"]}),
        ("similarity", "runs/x.run"),
    ),
    "scores of other systems": Case(
        "both must hold one score per system", lambda: pw.correlate([1, 2], [1, 2, 3])
    ),
    "a score that is missing": Case(
        "every system needs a score", lambda: pw.correlate([1, NAN], [1, 2])
    ),
    "an item with two places": Case(
        "an item has one place in a ranking", lambda: pw.rank_biased_overlap(["a", "a"], ["b"])
    ),
    "groups without a run": Case(
        "groups of runs: 'x' is not known", lambda: pw.report(QRELS, RUNS, groups={"z": "lab"})
    ),
    "no plot of a number": Case("there is no plot of int", lambda: pw.plot(3)),
    # ---- what to write
    "a folder that is not there": Case(
        "no such file or directory. Hint: make the folder first",
        lambda: pw.write_judgments(pw.read_judgments(QRELS), "no/where"),
        ("evaluate", *BOTH, "-o", "no/where.tsv"),
    ),
    "a run that is not there": Case(
        "system: 'z' is not known", lambda: pw.write_run(pw.read_runs(RUNS), "z", "z.run")
    ),
    "an input as the output": Case(
        "an output must not be an input", words=("evaluate", *BOTH, "-o", "qrels", "--force")
    ),
    "a table that is compressed": Case(
        "tables are not compressed. Hint: leave out .gz",
        words=("evaluate", *BOTH, "-o", "x.tsv.gz"),
    ),
    "Parquet in another format": Case(
        "a file with this ending is Parquet",
        words=("evaluate", *BOTH, "-o", "x.parquet", "--format", "json"),
    ),
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the same judgments and runs as files, and go there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    pw.write_judgments(pw.read_judgments(QRELS), tmp_path / "qrels")
    (tmp_path / "odd").write_bytes(b"\xff\n")
    runs = pw.read_runs(RUNS)
    for system in runs.systems:
        pw.write_run(runs, system, tmp_path / "runs" / f"{system}.run")
    return tmp_path


def of(kind: str) -> Any:
    """Return the cases that have a call, or the words of a command."""
    chosen = {name: case for name, case in CASES.items() if getattr(case, kind)}
    return over("case", chosen.values(), ids=chosen)


@of("call")
def test_a_wrong_call_is_one_sentence(case: Case) -> None:
    """Python gets an error of poolwise, which says what is wrong."""
    assert case.call is not None
    with pytest.raises(pw.PoolwiseError) as raised:
        case.call()
    message = str(raised.value)
    assert case.sentence in message
    assert "Hint: " in message


@of("words")
def test_a_wrong_command_is_one_sentence(files: Path, case: Case) -> None:
    """The command line gets the same with exit code 3, prints nothing, and writes nothing."""
    before = sorted(files.rglob("*"))
    result = CliRunner().invoke(main, list(case.words))
    assert result.exit_code == WRONG_INPUT, result.output
    assert case.sentence in " ".join(result.stderr.split())
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(files.rglob("*")) == before


def test_a_difference_that_no_experiment_could_detect_is_a_result(files: Path) -> None:
    """A tiny difference needs more topics than there are, and that is said."""
    del files
    result = CliRunner().invoke(main, ["power", "--delta", "1e-12", "--sigma", "1"])
    assert result.exit_code == 0, result.output


def test_the_table_is_long() -> None:
    """There are many ways to be wrong, most of them in both."""
    assert len(CASES) >= 75
    assert sum(bool(case.call and case.words) for case in CASES.values()) >= 30
