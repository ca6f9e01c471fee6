"""Score matrices are read as they stand, or refused with the line that is wrong."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from poolwise.errors import InputError, OptionError
from poolwise.scores.score_matrix import read_score_matrix, write_score_matrix
from poolwise.scores.score_table import ScoreTable


def write(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "systems", "topics"),
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


@pytest.mark.parametrize(
    ("text", "where", "rule"),
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
    one = read_score_matrix(data_dir / "scores/newbestsub/R04.csv", rows="systems")
    two = read_score_matrix(data_dir / "scores/urbano/sigir2018-simulation/robust2004_ap.csv")
    assert one.topics == two.topics
    np.testing.assert_array_equal(one.value, two.value)
