"""Score matrices are read as they stand, or refused with the line that is wrong."""

import gzip
import hashlib
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.each import over

import poolwise as pw
from poolwise.cli.main import main
from poolwise.errors import InputError, OptionError
from poolwise.scores._score_matrix import read_score_matrix, write_score_matrix
from poolwise.scores._score_table import ScoreTable


def write(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_bytes(text.encode())
    return path


@over(
    "text, systems, topics",
    [
        ("topic,a,b\n401,.1,.2\n402,.3,.4\n", ("a", "b"), ("401", "402")),
        (",a,b\n401,.1,.2\n402,.3,.4\n", ("a", "b"), ("401", "402")),
        ("a,b\n.1,.2\n.3,.4\n", ("a", "b"), ("1", "2")),
        ("a,b\n401,.1,.2\n402,.3,.4\n", ("a", "b"), ("401", "402")),
        (".1,.2\n.3,.4\n", ("1", "2"), ("1", "2")),
        ("topic\ta\tb\r\n401\t.1\t.2\r\n402\t.3\t.4\r\n", ("a", "b"), ("401", "402")),
        ('"a";"b"\r.1;.2\r.3;.4\r', ("a", "b"), ("1", "2")),
        ("system,401,402\na,.1,.3\nb,.2,.4\n", ("a", "b"), ("401", "402")),
        ("\ufefftopic,a,b\n401,.1,.2\n\n402,.3,.4\n", ("a", "b"), ("401", "402")),
    ],
)
def test_layouts(
    tmp_path: Path, text: str, systems: tuple[str, ...], topics: tuple[str, ...]
) -> None:
    """Header, topic column, delimiter and line end are told from the file itself."""
    table = read_score_matrix(write(tmp_path, text))
    assert (table.systems, table.topics) == (systems, topics)
    np.testing.assert_array_equal(table.value, [[0.1, 0.3], [0.2, 0.4]])


def test_corner_names_the_measure(tmp_path: Path) -> None:
    """A corner cell that names neither topics nor systems is the measure."""
    path = write(tmp_path, "AP,401,402\n1,.1,.3\n2,.2,.4\n")
    table = read_score_matrix(path, rows="systems")
    assert (str(table.measure), table.systems, table.topics) == ("AP", ("1", "2"), ("401", "402"))
    assert str(read_score_matrix(path, measure="P@5").measure) == "P@5"


def test_one_system(tmp_path: Path) -> None:
    """A single column of scores is one system, not a column of names."""
    table = read_score_matrix(write(tmp_path, "bm25\n.5\n.25\n"))
    assert (table.systems, table.value.tolist()) == (("bm25",), [[0.5, 0.25]])


def test_labels_overrule_the_guess(tmp_path: Path) -> None:
    """Whoever knows that a numeric column holds names can say so."""
    path = write(tmp_path, "x,y\n1,.5\n2,.25\n")
    assert read_score_matrix(path).systems == ("x", "y")
    assert read_score_matrix(path, labels=True).topics == ("1", "2")


def test_missing_scores_are_undefined(tmp_path: Path) -> None:
    """An empty cell is an undefined score with its reason, never 0."""
    table = read_score_matrix(write(tmp_path, "topic,a,b\n1,,.2\n2,.3,.4\n"))
    assert np.isnan(table.value[0, 0])
    assert table.defined.tolist() == [False, True]
    assert table.caveats()[0] == "1 of 2 topics is left out of the means: no score in the file."


@over(
    "text, where, rule",
    [
        ("", "scores.csv", "must hold scores"),
        ("topic,a\n", "scores.csv:1", "followed by scores"),
        ("topic,a,b\n1,.1,.2\n2,.3\n", "scores.csv:3", "3 cells"),
        ("topic,a,b\n1,.1,.2\n1,.3,.4\n", "scores.csv:3", "once"),
        ("topic,a,a\n1,.1,.2\n", "scores.csv:1", "once"),
        ("topic,a,b\n1,.1,inf\n", "scores.csv:2", "finite"),
        ("topic,a,b\n1,.1,high\n", "scores.csv:2", "'high'"),
    ],
)
def test_broken_files(tmp_path: Path, text: str, where: str, rule: str) -> None:
    """A file that breaks a rule is refused with its line and the rule."""
    with pytest.raises(InputError, match=rule) as caught:
        read_score_matrix(write(tmp_path, text))
    assert caught.value.where.endswith(where)


def test_compressed_files(tmp_path: Path) -> None:
    """A gzipped matrix reads like the plain one, and one that is not there is refused."""
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"topic,a\n1,.5\n"))
    table = read_score_matrix(path)
    assert table.value.tolist() == [[0.5]]
    assert table.provenance.runs[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(InputError, match="must exist"):
        read_score_matrix(tmp_path / "nowhere.csv")


def test_unknown_row_kind(tmp_path: Path) -> None:
    """Rows are topics or systems."""
    with pytest.raises(OptionError, match="rows"):
        read_score_matrix(write(tmp_path, "a\n1\n"), rows="columns")


@given(values=arrays.arrays(np.float64, (2, 3), elements=st.floats(0, 1) | st.just(np.nan)))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, values: np.ndarray) -> None:
    """What is written reads back to the last bit."""
    table = ScoreTable.from_matrix(
        values, systems=["a,b", 'c"'], topics=["1", "2", "3"], measure="AP"
    )
    path = tmp_path_factory.mktemp("matrix") / "AP.csv"
    write_score_matrix(table, path)
    again = read_score_matrix(path)
    assert (again.systems, again.topics, again.measure) == (
        table.systems,
        table.topics,
        table.measure,
    )
    np.testing.assert_array_equal(again.value, table.value)


@pytest.mark.parametrize(
    ("name", "rows", "shape"),
    [
        ("newbestsub/R04.csv", "systems", (110, 249)),
        ("newbestsub/MQ07-Top26.csv", "systems", (26, 1153)),
        ("urbano/sigir2018-simulation/robust2004_ap.csv", "topics", (110, 249)),
        ("urbano/sigir2019-statistical/adhoc5_ap.csv", "topics", (61, 50)),
    ],
)
def test_real_matrices(data_dir: Path, name: str, rows: str, shape: tuple[int, int]) -> None:
    """The public matrices read as they are, whatever tool wrote them."""
    table = read_score_matrix(data_dir / "scores" / name, rows=rows)
    assert table.value.shape == shape
    assert table.defined.all()


def test_two_copies_of_robust_2004_agree(data_dir: Path) -> None:
    """Two sources of the Robust 2004 scores hold the same numbers."""
    first = read_score_matrix(data_dir / "scores/newbestsub/R04.csv", rows="systems")
    two = read_score_matrix(data_dir / "scores/urbano/sigir2018-simulation/robust2004_ap.csv")
    assert first.topics == two.topics
    np.testing.assert_array_equal(first.value, two.value)


QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n2 0 d 1\n"
RUNS = {
    "x": "1 Q0 a 1 2.5 x\n1 Q0 b 2 1 x\n2 Q0 e 1 3 x\n2 Q0 c 2 1 x\n",
    "y": "1 Q0 b 1 2.5 y\n1 Q0 a 2 1 y\n2 Q0 c 1 3 y\n",
}
PRINTED = (
    "num_q                 \tall\t2\nmap                   \t1\t1.0000\n"
    "P_5                   \t1\t0.2000\nmap                   \t2\t0.2500\n"
    "P_5                   \t2\t0.2000\nrunid                 \tall\tx\n"
    "map                   \tall\t0.6250\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with qrels and two runs, and go there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    for name, run in RUNS.items():
        (tmp_path / name).write_text(run)
    return tmp_path


def own(words: list[str]) -> str:
    """Return what a command of poolwise prints."""
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 0, ran.output
    return str(ran.stdout)


def test_output_of_trec_eval_is_read(folder: Path) -> None:
    """Lines of measure, topic and value; ``all`` is no topic, and ``runid`` names the run."""
    (folder / "x.eval").write_text(PRINTED)
    table = pw.read_score_matrix(folder / "x.eval", measure="map")
    assert (table.systems, table.topics) == (("x",), ("1", "2"))
    assert table.value.tolist() == [[1.0, 0.25]]
    with pytest.raises(pw.MeasureError, match=r"'nDCG': .* Hint: use AP or P@5"):
        pw.read_score_matrix(folder / "x.eval", measure="nDCG")


def test_what_trec_eval_printed_for_a_real_run_is_read(data_dir: Path) -> None:
    """All measures of ``-m all_trec`` are there, of which one prints texts and no scores."""
    folder = data_dir / "trec_eval-output"
    files = [folder / f"trec-dl-2019.{run}.full.plain.v9.gz" for run in ("ICT-BERT2", "bm25base_p")]
    tables = {str(table.measure): table for table in pw.workflows.read_score_files(files)}
    assert {"AP", "nDCG@10", "P@10", "RR", "Rprec", "IPrec@0.1"} <= set(tables)
    assert tables["nDCG@10"].systems == ("ICT-BERT2", "bm25base_p")
    runs = [data_dir / "trec-dl-2019" / "runs" / f"{run}.gz" for run in tables["AP"].systems]
    expected = pw.evaluate(data_dir / "trec-dl-2019" / "qrels.gz", runs, "nDCG@10").scores[0]
    assert tables["nDCG@10"].topics == expected.topics
    assert abs(tables["nDCG@10"].value - expected.value).max() < 0.5001e-4
    (said, *_) = tables["AP"].provenance.lines()
    assert said.startswith("scores ")
    assert "ICT-BERT2.full.plain.v9.gz (sha256 " in said


def test_files_of_several_runs_are_one_table(folder: Path) -> None:
    """A file for each run, as trec_eval writes them, is compared as the runs are."""
    for name in RUNS:
        (folder / f"{name}.eval").write_text(own(["trec_eval", "-q", "-m", "map", "qrels", name]))
    (table,) = pw.workflows.read_score_files(["x.eval", "y.eval"])
    expected = pw.evaluate("qrels", ["x", "y"], "AP").scores[0]
    assert table.systems == ("x", "y")
    assert table.value.round(4).tolist() == expected.value.round(4).tolist()
    said = own(["compare", "--scores", "x.eval", "--scores", "y.eval", "--format", "json"])
    assert json.loads(said)["rows"][0]["measure"] == "AP"


@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_output_of_ir_measures_is_read(folder: Path, form: str) -> None:
    """Topic, measure and value in columns or in JSON; oracle: ir_measures' own command."""
    words = [sys.executable, "-m", "ir_measures", "qrels", "x", "AP P@5", "-q", "-o", form, "-p8"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)  # noqa: S603 -- our own words
    (folder / "x.scores").write_text(done.stdout)
    table = pw.read_score_matrix(folder / "x.scores", measure="AP")
    assert dict(zip(table.topics, table.value[0], strict=True)) == {"1": 1.0, "2": 0.25}
    assert [t.measure for t in pw.workflows.read_score_files(["x.scores"])] == [pw.AP, pw.P @ 5]


@pytest.mark.parametrize("form", ["tsv", "csv", "json"])
def test_our_own_output_is_read(folder: Path, form: str) -> None:
    """What evaluate prints by topic is read back to the last digit."""
    words = ["evaluate", "qrels", "x", "y", "-m", "AP,P@5", "--per-topic", "--format", form]
    (folder / f"scores.{form}").write_text(own(words))
    tables = pw.workflows.read_score_files([f"scores.{form}"], ["P@5", "AP"])
    for table, expected in zip(tables, pw.evaluate("qrels", ["x", "y"], ["P@5", "AP"]).scores,
                               strict=True):  # fmt: skip
        assert table.measure == expected.measure
        assert table.value.tolist() == expected.value.tolist()


@pytest.mark.filterwarnings("ignore")  # PyTerrier's own
def test_an_experiment_by_query_is_a_table() -> None:
    """``pt.Experiment(perquery=True)`` gives a frame that is read as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pt = pytest.importorskip("pyterrier", reason="python-terrier is not installed")
    retrieved = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "e"], "score": [1.0, 1.0]})
    retrieved["rank"] = 0
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "c"], "label": [1, 1]})
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["one", "two"]})
    dense = retrieved.assign(docno=["a", "c"])
    systems = [pt.Transformer.from_df(frame) for frame in (retrieved, dense)]
    names = ["bm25", "dense"]
    frame = pt.Experiment(systems, topics, qrels, ["map", "P.5"], names=names, perquery=True)
    both = pw.read_score_matrix(frame, measure="map")
    assert dict(zip(both.systems, both.means(), strict=True)) == {"bm25": 0.5, "dense": 1.0}
    assert len(pw.compare_scores(both)) == 1
    with pytest.raises(pw.OptionError, match=r"by AP, P@5, .* such as measure='AP'"):
        pw.read_score_matrix(frame)
    frame = pt.Experiment(systems[:1], topics, qrels, ["map"], names=names[:1], perquery=True)
    table = pw.read_score_matrix(frame)
    assert (str(table.measure), table.systems) == ("AP", ("bm25",))
    assert dict(zip(table.topics, table.value[0], strict=True)) == {"1": 1.0, "2": 0.0}


def test_a_missing_score_is_undefined(folder: Path) -> None:
    """A topic that one run lacks has no score for it, and is not taken as 0."""
    (folder / "s.csv").write_text("run,topic,measure,value\nx,1,AP,.5\nx,2,AP,.25\ny,1,AP,1\n")
    table = pw.read_score_matrix(folder / "s.csv")
    assert table.defined.tolist() == [True, False]


BAD = {
    "means.eval": ("map all 0.5\n", "means alone. Hint: run trec_eval or ir_measures with -q"),
    "twice.csv": ("run,topic,measure,value\nx,1,AP,1\nx,1,AP,0\n", "must have one score"),
    "word.csv": ("run,topic,measure,value\nx,1,AP,high\n", "a score must be a number; got 'high'"),
    "none.json": ('{"rows": []}', "scores in JSON must be an array of records"),
    "short.jsonl": ('{"topic": "1", "value": 1}\n', "there must be a column for the measure"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_lists_are_named(name: str, folder: Path) -> None:
    """An error says what a list of scores must hold."""
    text, message = BAD[name]
    (folder / name).write_text(text)
    with pytest.raises(pw.InputError, match=message):
        pw.read_score_matrix(folder / name)


def test_lists_and_matrices_do_not_mix(folder: Path) -> None:
    """Which measure a matrix has is not said by a list."""
    (folder / "m.csv").write_text("topic,x,y\n1,.5,.25\n2,1,0\n")
    (folder / "x.eval").write_text(PRINTED)
    with pytest.raises(pw.InputError, match=r"x\.eval: files of scores must be all lists or all"):
        pw.workflows.read_score_files(["m.csv", "x.eval"])


def test_other_things_are_no_scores() -> None:
    """A value that is no file and no frame says what may be one."""
    with pytest.raises(
        pw.OptionError, match="scores cannot be read from an object of the type int"
    ):
        pw.read_score_matrix(5)


def test_lists_with_other_scores_of_the_same_runs_are_kept_apart(tmp_path: Path) -> None:
    """The second file does not overwrite the first: each has a table, in the order of files."""
    files = []
    for name, shift in (("raw", 0.0), ("standardized", 0.5)):
        lines = [
            f"{run},AP,{t},{shift + k / 10 + t / 100}" for k, run in enumerate("ab") for t in (1, 2)
        ]
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text("run,measure,topic,value\n" + "\n".join(lines) + "\n")
    for measures in ((), ("AP",), ("AP", "AP")):
        first, second = pw.workflows.read_score_files(files, measures)
        np.testing.assert_allclose(second.value - first.value, 0.5)
    orders = pw.findings.measure_orders([first, second], resamples=2)
    assert orders.columns()["reference"] == ["AP (raw.csv)"]
    assert orders.columns()["measure"] == ["AP (standardized.csv)"]
    # other topics of the same runs are one table
    more = tmp_path / "more.csv"
    more.write_text("run,measure,topic,value\na,AP,3,0.1\nb,AP,3,0.2\n")
    (joined,) = pw.workflows.read_score_files([files[0], more])
    assert joined.topics == ("1", "2", "3")
