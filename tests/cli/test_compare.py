"""``poolwise compare`` as people and scripts meet it."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import poolwise as pw

Command = Callable[..., Result]
HEADER = (
    "measure\ta\tb\tdifference\tci_low\tci_high\tinterval\tp\tp_adjusted\teffect_size\t"
    "bound_low\tbound_high\tstate\tverdict\tdraws\tdrawn_ahead\tdrawn_behind\t"
    "drawn_significant\tdraws_calibrated\twins\tties\tlosses\tanswered_a\tanswered_b"
)
SCORES = """\
topic,bm25,dense,fused
1,0.2,0.3,0.5
2,0.1,0.4,0.4
3,0.6,0.5,0.9
4,0.3,0.3,0.7
"""


def rows(text: str) -> list[dict[str, str]]:
    """Read the tab-separated output."""
    return list(csv.DictReader(io.StringIO(text), delimiter="\t"))


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """Write a score matrix of three systems on four topics."""
    path = tmp_path / "ap.csv"
    path.write_text(SCORES)
    return str(path)


@pytest.mark.usefixtures("collection")
def test_the_columns_are_fixed(run: Command) -> None:
    """A pipe gets one header, and one row per measure and pair."""
    result = run("compare", "qrels.txt", "runs", "-m", "P@2", "-m", "RR")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == HEADER
    assert [(r["measure"], r["a"], r["b"]) for r in rows(result.stdout)] == [
        ("P@2", "bm25", "dense"),
        ("RR", "bm25", "dense"),
    ]


@pytest.mark.usefixtures("collection")
def test_unjudged_documents_bound_the_difference(run: Command) -> None:
    """bm25 and dense each have one unjudged document in the top two of one topic of three."""
    (row,) = rows(run("compare", "qrels.txt", "runs", "-m", "P@2").stdout)
    difference = float(row["difference"])
    assert difference == pytest.approx((0 + 0.5 + 0) / 3)
    assert float(row["bound_low"]) == pytest.approx(difference - 0.5 / 3)
    assert float(row["bound_high"]) == pytest.approx(difference + 0.5 / 3)
    assert row["verdict"] == "rests on missing topics"
    assert (row["answered_a"], row["answered_b"]) == ("3", "2")


@pytest.mark.usefixtures("collection")
def test_topics_that_a_run_lacks_score_0_or_are_left_out(run: Command) -> None:
    """Where dense lacks topic 3 it scores 0, or both are compared on topics 1 and 2 alone."""
    judged, common = (
        run("compare", "qrels.txt", "runs", "-m", "RR", "--details", "--topics", topics)
        for topics in ("judged", "common")
    )
    assert [rows(r.stdout)[0]["n"] for r in (judged, common)] == ["3", "2"]
    assert "judged topics that a run lacks: 1" in judged.stderr


@pytest.mark.usefixtures("collection")
def test_a_table_says_it_in_words(run: Command) -> None:
    """On a terminal, a sentence names who is ahead and both uncertainties."""
    text = run("compare", "qrels.txt", "runs", "-m", "P@2", "--format", "md").stdout
    assert "dense lacks 1 of 3 topics, and the order rests on these" in text
    assert "bm25 is ahead of dense by 0.1667 in P@2" in text
    assert "Over topics: 95% interval" in text


@pytest.mark.usefixtures("collection")
def test_two_runs_have_a_row_for_each_measure_and_details_by_measure(run: Command) -> None:
    """A pair by several measures is one table below who is ahead; details say each by itself."""
    words = ["compare", "qrels.txt", "runs", "-m", "P@2", "-m", "RR", "--format", "table"]
    short, long = run(*words).stdout, run(*words, "--details").stdout
    first, *others = short.splitlines()
    assert first.startswith("bm25 is ahead of dense by 2 measures; the worst verdict is that by ")
    rows_of_measures = [line.split()[0] for line in others if re.match(r"(P@2|RR) +[-\d]", line)]
    assert rows_of_measures == ["P@2", "RR"]
    assert short.count("More with --details.") == 1
    assert "Over topics: 95% interval" not in short
    assert long.count("Over topics: 95% interval") == 2
    assert "More with" not in long


def test_a_score_matrix_stands_for_runs(run: Command, scores: str) -> None:
    """All pairs are compared; nothing is known of the judgments, and that is said."""
    result = run("compare", "--scores", scores)
    table = rows(result.stdout)
    assert [r["measure"] for r in table] == ["AP"] * 3
    assert {r["verdict"] for r in table} == {"unknown"}
    assert {r["bound_low"] for r in table} == {""}
    remarks = run("compare", "--scores", scores, "--format", "tsv").stderr
    assert "Nothing is known of the judgments" in remarks


def test_a_baseline_is_compared_with_every_other(run: Command, scores: str) -> None:
    """With a baseline there is a row per other system, and `-m` names the measure."""
    table = rows(run("compare", "--scores", scores, "--baseline", "bm25", "-m", "AP").stdout)
    assert [(r["measure"], r["a"], r["b"]) for r in table] == [
        ("AP", "dense", "bm25"),
        ("AP", "fused", "bm25"),
    ]


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "randomization", "bootstrap", "welch-t"])
def test_every_test_answers(run: Command, scores: str, test: str) -> None:
    """Each test has p values for these scores."""
    result = run("compare", "--scores", scores, "--test", test, "--resamples", "200")
    assert result.exit_code == 0, result.output
    assert all(0 < float(r["p"]) <= 1 for r in rows(result.stdout))


def test_a_seed_repeats_the_output(run: Command, scores: str) -> None:
    """The randomized Tukey correction depends on the seed alone."""
    words = ("compare", "--scores", scores, "--correction", "tukey", "--resamples", "500")
    assert run(*words, "--seed", "3").stdout == run(*words, "--seed", "3").stdout


@pytest.mark.usefixtures("collection")
def test_details_come_after_the_fixed_columns(run: Command) -> None:
    """`--details` adds what draws and gradings do to the p value."""
    result = run("compare", "qrels.txt", "runs", "-m", "P@2", "--details", "--draws", "10")
    assert result.stdout.splitlines()[0].startswith(HEADER + "\t")
    (row,) = rows(result.stdout)
    assert row["draws"] == "10"
    assert 0 <= float(row["drawn_same_order"]) <= 1


@pytest.mark.usefixtures("collection")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["qrels.txt"], "give QRELS and at least one of RUNS, or --scores FILE"),
        (["qrels.txt", "runs", "--scores", "ap.csv"], "or --scores, not both"),
        (["--scores", "ap.csv"], "ap.csv: the file must exist"),
        (["qrels.txt", "runs/bm25.run"], "a comparison needs two systems; got 1"),
        (["qrels.txt", "runs", "--baseline", "splade"], "'splade' is not known"),
    ],
)
def test_wrong_input_is_told(run: Command, words: list[str], message: str) -> None:
    """Too little input, too much, or a name that is not there: one clear line."""
    result = run("compare", *words)
    assert result.exit_code != 0
    assert message in result.stderr


def test_compare_is_told_how_the_pool_was_made(run: Command, tmp_path: Path) -> None:
    """--groups, --pool-depth and --pooled calibrate the range of a new run, --adaptive none."""
    made = pw.simulate(systems=12, topics=6, depth=30, groups=12, unpooled=0, rng=2)
    pool = pw.nominate(made.truth, made.runs).depth_pool(10, systems=made.runs.systems[1:])
    pw.write_judgments(pool, tmp_path / "qrels")
    for system in made.runs.systems:
        pw.write_run(made.runs, system, tmp_path / f"{system}.run")
    words = ["compare", str(tmp_path / "qrels"), *map(str, tmp_path.glob("*.run"))]
    words += ["-m", "P@10", "--baseline", "bm25-1", "--draws", "20", "--details"]
    pooling = [
        "--pool-depth",
        "10",
        "--pooled",
        ",".join(made.runs.systems[1:]),
        "--groups",
        "names",
    ]
    calibrated = run(*words, *pooling)
    assert {row["calibration"] for row in rows(calibrated.stdout)} == {"calibrated"}
    assert "10 groups left out in turn" in calibrated.stderr
    adaptive = run(*words, *pooling, "--adaptive")
    assert {row["calibration"] for row in rows(adaptive.stdout)} == {"not calibrated"}
    assert "is not calibrated: the judgments were chosen" in adaptive.stderr


TEXTS = ("--queries", "topics.tsv", "--documents", "corpus.tsv")


@pytest.fixture
def texts(collection: Path) -> Path:
    """Write what topics ask and what documents say beside a collection."""
    (collection / "topics.tsv").write_text("1\tred dress\n2\tblue shoes\n")
    (collection / "corpus.tsv").write_text("a\tA red dress.\nx\tNo dress.\n")
    return collection


def test_compare_writes_a_page_on_two_runs(run: Command, texts: Path) -> None:
    """It prints what it prints without a page, and the page has both runs, queries and texts."""
    words = ("compare", "qrels.txt", "runs/bm25.run", "runs/dense.run", "-m", "P@2")
    result = run(*words, "--html", "ab.html", *TEXTS)
    assert result.exit_code == 0, result.output
    assert result.stdout == run(*words).stdout
    page = (texts / "ab.html").read_text()
    for shown in ("bm25 against dense", "red dress", "A red dress.", "No dress."):
        assert shown in page


@pytest.mark.usefixtures("texts")
def test_the_page_is_replayed(run: Command) -> None:
    """The page holds its command, and a replay finds the same numbers."""
    words = ("compare", "qrels.txt", "runs/bm25.run", "runs/dense.run", "-m", "P@2")
    assert run(*words, "--html", "ab.html", *TEXTS).exit_code == 0
    again = run("replay", "ab.html")
    assert again.exit_code == 0, again.output


@pytest.mark.usefixtures("texts")
def test_a_page_of_many_runs_names_its_pair(run: Command) -> None:
    """Of three runs two are named; without names the command says which there are."""
    words = ("compare", "qrels.txt", "runs", "copy.run", "-m", "P@2", "--html", "ab.html")
    assert run(*words, "--pair", "bm25,dense").exit_code == 0
    result = run(*words, "--force")
    assert result.exit_code == 3
    assert "got 3 pairs. Hint: name two of bm25, dense, copy" in result.stderr


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--queries", "topics.tsv"], "--queries and --documents go on a page: add --html FILE"),
        (["--html", "ab.html", "--witness"], "--html is about runs and judgments"),
        (["--html", "ab.html", "--queries", "corpus.tsv"], "at least one of the topics"),
    ],
)
def test_a_page_that_cannot_be_made_is_told(run: Command, words: list[str], message: str) -> None:
    """Texts without a page, a page of something else, and a file of other ids are refused."""
    result = run("compare", "qrels.txt", "runs", "-m", "P@2", *words)
    assert result.exit_code == 3
    assert message in result.stderr


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    "words",
    [
        ("show", "qrels.txt", "runs", "--topic", "1"),
        ("next", "qrels.txt", "runs", "--goal", "relevant", "--ranks"),
        ("pool", "runs", "--depth", "2", "--ranks"),
        ("pool", "runs", "--depth", "2"),
    ],
    ids=lambda words: f"{words[0]}-{words[-1]}",
)
def test_queries_and_texts_are_columns_wherever_documents_are_listed(
    run: Command, words: tuple[str, ...]
) -> None:
    """Programs get them whole, and nothing for what is not known; without files, no column."""
    plain, with_texts = rows(run(*words).stdout), rows(run(*words, *TEXTS).stdout)
    assert [
        {n: c for n, c in row.items() if n not in ("query", "text")} for row in with_texts
    ] == plain
    queries, texts = {"1": "red dress", "2": "blue shoes"}, {"a": "A red dress.", "x": "No dress."}
    for row in with_texts:
        assert row["query"] == queries.get(row["topic"], "")
        assert row["text"] == texts.get(row["document"], "")
    assert any(row["text"] for row in with_texts)


@pytest.mark.usefixtures("texts")
def test_people_read_queries_and_texts(run: Command) -> None:
    """A table has the query in its title or beside its topic, and what documents say last."""
    shown = run("show", "qrels.txt", "runs", "--topic", "1", *TEXTS, "--format", "table").stdout
    assert "Topic 1 (red dress)" in shown
    assert "A red dress." in shown
    assert "(not known)" in shown
    listed = run("next", "qrels.txt", "runs", *TEXTS, "--format", "table").stdout
    assert re.search(r"1\s+red dress\s+x.*No dress\.", listed)


def test_a_sheet_with_queries_and_texts_is_merged(run: Command, texts: Path) -> None:
    """Assessors read what they judge, and fill in the last column."""
    sheet = texts / "sheet.tsv"
    result = run("pool", "runs", "--depth", "2", *TEXTS, "-o", "sheet.tsv")
    assert result.exit_code == 0, result.output
    head, *lines = sheet.read_text().splitlines()
    assert head.split("\t") == ["topic", "document", "query", "text", "grade"]
    sheet.write_text("\n".join([head, *(f"{line}1" for line in lines[:2]), *lines[2:]]) + "\n")
    assert run("merge", "qrels.txt", "sheet.tsv", "--conflicts", "last", "-o", "all").exit_code == 0
    merged = pw.read_judgments(texts / "all").to_dict()
    for line in lines[:2]:
        topic, document, *_ = line.split("\t")
        assert merged[topic][document] == 1


@pytest.mark.parametrize("option", ["--passages", "--topic-texts", "--scale"])
def test_what_is_about_labels_is_refused_without_them(run: Command, option: str) -> None:
    """Nothing is taken that would change nothing."""
    result = run("compare", "qrels.txt", "runs", option, "0,1")
    assert result.exit_code == 3
    assert f"{option} goes with --labels" in result.stderr
