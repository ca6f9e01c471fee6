"""The commands of the ledger: what they print, and how they end."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

import poolwise as pw
from poolwise.cli.main import main

Run = Callable[..., Result]
MADE = pw.simulate(systems=6, topics=20, depth=30, rng=2)


@pytest.fixture
def ledger(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a ledger of six runs by the command, and go to its folder."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    pw.write_judgments(MADE.judgments, "qrels.txt")
    for name in MADE.runs.systems:
        pw.write_run(MADE.runs, name, f"runs/{name}.run")
    words = "ledger add results qrels.txt runs --collection made --original --year 1999 -m P@5,AP"
    done = run(*words.split(), "--by", "ann", "--date", "2026-11-18", "--format", "table")
    assert done.exit_code == 0, done.output
    assert "6 results were added to made, judgments" in done.output
    return "results"


def rows(done: Result) -> list[dict[str, object]]:
    """Return the rows of JSON."""
    assert done.exit_code == 0, done.output
    listed: list[dict[str, object]] = json.loads(done.stdout)["rows"]
    return listed


def test_rank_prints_what_python_finds(ledger: str, run: Run) -> None:
    """The same numbers, by the same names."""
    ranks = rows(run("ledger", "rank", ledger, "-m", "AP", "--format", "json"))
    columns = pw.ledger(ledger).rank(measure="AP").columns()
    assert [row["run"] for row in ranks] == columns["run"]
    for name in ("rank_low", "rank_high", "resampled_low", "not_separable"):
        assert [row[name] for row in ranks] == columns[name]


def test_a_table_names_both_kinds_of_ranks(ledger: str, run: Run) -> None:
    """And says which of them is no confidence interval."""
    done = run("ledger", "rank", ledger, "--format", "table")
    assert "95% rank interval" in done.output
    assert "rank under resampled topics" in done.output
    assert "is no confidence interval" in " ".join(done.output.split())


def test_context_says_the_worst_first(ledger: str, run: Run) -> None:
    """A weak baseline comes before the gain over it."""
    last = pw.ledger(ledger).rank(measure="AP").systems[-1]
    first = pw.ledger(ledger).rank(measure="AP").systems[0]
    words = ("ledger", "context", ledger, first, "--baseline", last, "-m", "AP")
    done = run(*words, "--format", "table")
    assert done.exit_code == 0
    assert "Weak baseline" in done.output
    assert rows(run(*words, "--format", "json"))[0]["weakness"] == "weak"


def test_compare_and_list(ledger: str, run: Run) -> None:
    """Runs by name, and all that there is."""
    names = MADE.runs.systems[:2]
    pairs = rows(run("ledger", "compare", ledger, *names, "-m", "AP", "--format", "json"))
    assert {pairs[0]["a"], pairs[0]["b"]} == set(names)
    assert len(rows(run("ledger", "list", ledger, "--format", "json"))) == 6


def test_check_has_exit_codes(ledger: str, run: Run) -> None:
    """0 where all is right, 1 where something is wrong, 3 where there is no ledger."""
    assert run("ledger", "check", ledger).exit_code == 0
    path = next(Path(ledger).rglob("runs/*.json"))
    path.write_text(path.read_text().replace("1999", "1998", 1))
    done = run("ledger", "check", ledger, "--format", "table")
    assert done.exit_code == 1
    assert path.name in done.output
    assert run("ledger", "rank", ledger).exit_code == 3
    assert run("ledger", "check", "nowhere").exit_code == 3


def test_retracted_results_are_listed_with_the_reason(ledger: str, run: Run) -> None:
    """They do not count any more."""
    name = MADE.runs.systems[0]
    done = run("ledger", "retract", ledger, name, "--reason", "wrong index", "--format", "table")
    assert done.exit_code == 0
    assert "wrong index" in run("ledger", "list", ledger, "--format", "table").output
    ranked = rows(run("ledger", "rank", ledger, "--format", "json"))
    assert name not in [row["run"] for row in ranked]


def test_trend_by_a_measure_that_nothing_has_names_those_there_are(ledger: str, run: Run) -> None:
    """Nothing to show is an error that says which measures have means, and not an empty list."""
    result = run("ledger", "trend", ledger, "-m", "ERR@20")
    assert result.exit_code == 3
    assert "no collection has means by ERR@20. Hint: use one of" in " ".join(result.output.split())


def test_trend_draws_its_figure(ledger: str, run: Run) -> None:
    """By means, and published gains with their baselines."""
    pytest.importorskip("matplotlib")
    assert run("ledger", "trend", ledger, "-m", "AP", "--plot", "trend.svg").exit_code == 0
    assert Path("trend.svg").read_text().count("made 1999")
    first, *others = MADE.runs.systems
    words = ["ledger", "add", ledger, "qrels.txt", f"runs/{first}.run", "--name", "new"]
    words += ["--collection", "made", "-m", "P@5,AP", "--baseline", others[0], "--year", "2005"]
    assert run(*words).exit_code == 0
    done = run("ledger", "trend", ledger, "--gains", "--collection", "made", "--format", "table")
    assert "1 improvement was published on made" in " ".join(done.output.split())


def test_power_goes_by_a_ledger(ledger: str, run: Run) -> None:
    """The topics that a difference takes, by the spread between its runs."""
    done = run("power", "--against", ledger, "-m", "AP", "--delta", "0.02", "--format", "json")
    sigma = pw.findings.collection_power(pw.ledger(ledger).tables("", ["AP"])[0]).sigma_median
    needed = pw.power(delta=0.02, sigma=sigma, power=0.8).topics
    assert rows(done)[0]["topics_for_delta"] == pytest.approx(needed)
    assert run("power", "--against", ledger, "--sigma", "0.1").exit_code == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("add results --collection c", "give QRELS and RUNS, or --scores FILE, or --means FILE"),
        ("add results qrels.txt runs", "--collection"),
        ("add results qrels.txt nowhere.run --collection c", "nowhere.run"),
        ("rank results -m RR", "no scores by RR"),
        ("context results nobody", "nobody"),
        ("trend results --reference made", "reference"),
    ],
)
def test_wrong_input_ends_with_3_and_a_hint(
    ledger: str, run: Run, words: str, message: str
) -> None:
    """Never with a number, and never with a traceback."""
    assert ledger == "results"
    done = run("ledger", *words.split())
    assert done.exit_code == 3
    assert message in done.output
    assert "Traceback" not in done.output


def test_scores_and_means_come_by_options(tmp_path: Path, run: Run) -> None:
    """A matrix, and a table of published means."""
    (tmp_path / "ap.csv").write_text("topic,a,b\n401,0.1,0.2\n402,0.3,0.5\n")
    (tmp_path / "means.csv").write_text("run,measure,mean\na,map,0.2\n")
    results = str(tmp_path / "results")
    scores, means = str(tmp_path / "ap.csv"), str(tmp_path / "means.csv")
    done = run("ledger", "add", results, "--scores", scores, "-m", "AP", "--collection", "c")
    assert done.exit_code == 0, done.output
    assert run("ledger", "add", results, "--means", means, "--collection", "c").exit_code == 0
    kinds = {row["kind"] for row in rows(run("ledger", "list", results, "--format", "json"))}
    assert kinds == {"scores only", "means only"}


WORKFLOW = yaml.safe_load(
    (Path(__file__).parents[2] / "docs/ledger/github-actions.yml").read_text(encoding="utf-8")
)


def test_the_workflow_of_the_guide_runs(ledger: str, run: Run) -> None:
    """Its commands check the ledger, and build the site that is published."""
    assert ledger == "results"
    steps = [step["run"] for step in WORKFLOW["jobs"]["check"]["steps"] if "run" in step]
    ours = [step.split()[1:] for step in steps if step.startswith("poolwise ")]
    assert [words[1] for words in ours] == ["check", "site"]
    for words in ours:
        assert run(*words).exit_code == 0
    assert "0 problems" in " ".join(Path("check.md").read_text(encoding="utf-8").split())
    assert Path("site/index.html").is_file()
    uploaded = next(s for s in WORKFLOW["jobs"]["check"]["steps"] if "upload" in s.get("uses", ""))
    assert uploaded["with"]["path"] == "site"


def test_a_site_leaves_files_of_others_alone(tmp_path: Path) -> None:
    """A folder that holds something else is refused without --force, and an own site is renewed."""
    results, other = str(tmp_path / "results"), tmp_path / "other"
    rankings = {"a": {"1": ["x"], "2": ["y"]}, "b": {"1": ["y"], "2": ["x"]}}
    judged = pw.Judgments.from_dict({"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 0}})
    results_of = pw.ledger(results, make=True)
    results_of.add(judged, pw.Runs.from_rankings(rankings), "P@1", collection="c", year=1999)
    other.mkdir()
    (other / "index.html").write_text("mine")
    words = ["ledger", "site", results, "-o", str(other)]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 3
    assert "the folder must be empty, or hold the site of a ledger" in refused.stderr
    assert (other / "index.html").read_text() == "mine"
    assert CliRunner().invoke(main, [*words, "--force"]).exit_code == 0
    assert CliRunner().invoke(main, words).exit_code == 0
