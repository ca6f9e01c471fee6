"""A measure that a user wrote goes through every workflow as the measures of the catalogue do."""

import re
from collections.abc import Callable
from dataclasses import replace
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.own_measure import TopShare

import poolwise as pw
from poolwise import views, workflows
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding
from poolwise.workflows._studies import StudyInput, run_study, takes_measures

OWN, KNOWN = TopShare(), "P@2"
MADE = pw.simulate(systems=6, topics=12, depth=20, rng=3)
BOTH = MADE.judgments, MADE.runs


HALVES = {topic: "ab"[i % 2] for i, topic in enumerate(MADE.runs.topics)}


MEASURED = [{"run": run, "ms": 2.0 * n} for n, run in enumerate(MADE.runs.systems)]
EMPTY = MADE.runs.topics[:3]
UNANSWERED = MADE.judgments.select(topics=MADE.runs.topics[3:]), MADE.runs


def table_of(measure: pw.Measure | str) -> pw.ScoreTable:
    """Return the scores by one measure."""
    return workflows.score_runs(*BOTH, [measure])[0]


def in_variants(table: pw.ScoreTable) -> pw.ScoreTable:
    """Return the table with its topics taken for two wordings each of half as many."""
    queries = tuple(f"{i // 2}-{'ab'[i % 2]}" for i in range(len(table.topics)))
    return replace(table, topics=queries)


def run_of(system: str) -> pw.Runs:
    """Return one of the runs."""
    return MADE.runs.select([system])


WORKFLOWS: dict[str, Callable[[pw.Measure | str], Finding]] = {
    "evaluate": lambda m: workflows.evaluate(*BOTH, m),
    "evaluate, treated": lambda m: workflows.evaluate(*BOTH, m, treatment="condensed"),
    "evaluate, matched": lambda m: workflows.evaluate(*BOTH, m, residual="matched"),
    "checklist": lambda m: workflows.checklist(*BOTH, m).parts[0],
    "estimate": lambda m: workflows.estimate(*BOTH, m, treatments=["condensed", "exact"]),
    "compare tables": lambda m: workflows.compare_tables([table_of(m)]).parts[0],
    "standardize": lambda m: workflows.standardize_tables([table_of(m)]),
    "plan": lambda m: workflows.plan_from_scores([table_of(m)])[0],
    "table": lambda m: workflows.table([table_of(m)]),
    "evaluate by slice": lambda m: workflows.evaluate_by_slice(*BOTH, m, by=HALVES).parts[0],
    "compare by slice": lambda m: workflows.compare_by_slice(*BOTH, m, by=HALVES).parts[0],
    "evaluate by cluster": lambda m: workflows.evaluate_by_cluster(*BOTH, m, clusters=HALVES).parts[
        0
    ],
    "compare by cluster": lambda m: workflows.compare_by_cluster(*BOTH, m, clusters=HALVES).parts[
        0
    ],
    "evaluate beside": lambda m: workflows.evaluate_beside(
        *BOTH, m, beside=MEASURED, draws=0
    ).parts[0],
    "compare beside": lambda m: workflows.compare_beside(*BOTH, m, beside=MEASURED, draws=0).parts[
        0
    ],
    "origin": lambda m: workflows.audit_origin(*BOTH, m, resamples=99),
    "no answer": lambda m: workflows.evaluate_no_answer(*UNANSWERED, m, empty=EMPTY).parts[0],
    "gate": lambda m: workflows.gate(
        MADE.judgments, run_of(MADE.runs.systems[1]), m, baseline=run_of(MADE.runs.systems[0])
    ),
}


STUDIES: dict[str, dict[str, Any]] = {
    "leave-out": {"depth": 5, "treatments": ["condensed"]},
    "movement": {"pool_depths": [1], "reference": 20},
    "persistence": {},
    "persistence by topic": {"rows": "topics"},
    "predictivity": {"partitions": 10},
    "swaps": {"draws": 10},
    "variance": {},
    "anova": {},
    "anova of pools": {"pool_depths": [2, 5, 20]},
    "dispersion": {"resamples": 9},
    "discrimination": {},
    "discrimination of pools": {"pool_depths": [1, 20]},
    "pooling-bias": {"depth": 5, "widths": [2], "common": [2], "pools": 2},
    "unjudged": {"treatments": ["condensed"]},
    "comparability": {"partitions": 10},
    "variants": {},
    "references": {"samples": 5},
    "inclusion": {"a": "bm25-1", "b": "ql-1", "delta": 0.1, "simulations": 20},
    "peeking": {"start": 5, "orders": 3, "highest": 0.9},
    "topics": {},
    "distribution": {"bins": 0.5},
    "intensity": {},
}
"""Options of studies, by the name of the study and what of it is tried."""


def study_of(name: str, measure: pw.Measure | str) -> Finding:
    """Return what a study finds of one measure."""
    entry = next(entry for entry in pw.studies.STUDIES if entry.name == name.split(maxsplit=1)[0])
    table = table_of(measure)
    tables = [in_variants(table) if entry.name == "variants" else table]
    options = STUDIES[name] | ({"measure": measure} if "measure" in entry.options else {})
    return run_study(entry, StudyInput(*BOTH, [measure], tables), options)[0]


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_finds_what_it_finds_of_the_same_measure(name: str) -> None:
    """Every number is that of P@2, and the name is the user's."""
    own, usual = (study_of(name, measure) for measure in (OWN, KNOWN))
    assert without_names(own.columns()) == without_names(usual.columns())
    assert "TopShare@2" in str(own)


def test_every_study_about_a_measure_is_tried() -> None:
    """No study of the table that takes measures, or tables of scores, is missing above."""
    # Orders compare two measures, draws and weights ask for measures of their own kind; depth and
    # verdict have tests of their own below, and judging-order scores what it judged.
    others = {"orders", "draws", "weights", "depth", "verdict", "judging-order"}
    tried = {name.split()[0] for name in STUDIES} | others
    about_measures = {
        entry.name
        for entry in pw.studies.STUDIES
        if "table" in entry.takes or "measure" in entry.options or takes_measures(entry)
    }
    assert about_measures <= tried


def without_names(columns: Columns) -> dict[str, list[str]]:
    """Return all columns but those that name the measure, as text, in which NaN equals NaN."""
    return {
        name: [str(cell).replace("TopShare", "P") for cell in cells]
        for name, cells in columns.items()
    }


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_finds_what_it_finds_of_the_same_measure(name: str) -> None:
    """Every number is that of P@2, and the name is the user's."""
    own, usual = (WORKFLOWS[name](measure) for measure in (OWN, KNOWN))
    assert without_names(own.columns()) == without_names(usual.columns())
    assert "TopShare@2" in str(own)
    assert own._repr_html_().count("TopShare")


def test_comparisons_test_it_and_bound_its_differences() -> None:
    """Its p values are those of P@2; its differences have the bounds that its scores leave."""
    (own,), (usual,) = (workflows.compare(*BOTH, m, draws=20) for m in (OWN, KNOWN))
    np.testing.assert_array_equal(own.p_adjusted, usual.p_adjusted)
    np.testing.assert_array_equal(own.drawn_same_order, usual.drawn_same_order)
    assert own.bound_kind == "valid"
    assert (own.bound_low <= usual.bound_low + 1e-12).all()
    assert (own.bound_high >= usual.bound_high - 1e-12).all()


def test_a_verdict_bounds_its_difference() -> None:
    """The difference is that of P@2, within bounds; what would settle it is counted for sums."""
    own, usual = (
        pw.studies.order_verdict(pw.align(*BOTH), measure, a="bm25-1", b="ql-1")
        for measure in (OWN, KNOWN)
    )
    assert own.value == usual.value
    assert own.lower <= usual.lower + 1e-12
    assert own.upper >= usual.upper - 1e-12
    assert own.documents is None


def test_the_depth_study_cuts_it() -> None:
    """A measure that can be cut is cut at every depth."""
    study = pw.studies.depths(MADE.truth, MADE.runs, [OWN], pool_depths=[20], depths=[1, 5])
    assert [setting.measure for setting in study.settings] == [OWN @ 1, OWN @ 5]


def test_the_report_shows_it_on_the_page_and_in_figures(tmp_path: Path) -> None:
    """A page is made by it, with its means; and what it is about can be drawn."""
    overview = workflows.report(*BOTH, [OWN, KNOWN])
    own, usual = overview[OWN], overview[KNOWN]
    assert own.leaderboard()["mean"] == usual.leaderboard()["mean"]
    page = views.html_page(overview)
    assert own.who_leads()[0] in page
    views.save_plot(own.table, str(tmp_path / "own.svg"))
    assert (tmp_path / "own.svg").stat().st_size


@pytest.mark.parametrize("end", ["low", "high"])
def test_a_witness_is_at_the_end_of_its_range(end: str) -> None:
    """The range that a user wrote is asked for the grades, as any other."""
    run = BOTH[1].systems[0]
    own, usual = (workflows.witness(*BOTH, m, run=run, end=end) for m in (OWN, KNOWN))
    assert own.is_reached
    assert own.scores.tolist() == usual.scores.tolist()


def test_explain_says_what_the_class_says() -> None:
    """The explanation of a user's measure is its docstring, with its parameters."""
    explanation = workflows.explain(OWN)
    assert explanation.sentences() == (
        "Share of relevant documents in the first two ranks, or down to another cut-off.",
    )
    assert "cutoff = 2: how many ranks are looked at" in str(explanation)


def test_every_workflow_about_a_measure_is_tried() -> None:
    """No workflow that takes measures, or tables of scores, is missing above."""
    about_measures = {
        name
        for name in workflows.__all__
        if isfunction(function := getattr(workflows, name))
        and {"measure", "measures", "tables"} & signature(function).parameters.keys()
    }
    # read_score_files names what someone else computed; trec_eval knows its own names alone;
    # factors_file writes what standardize_tables works with; freeze_baseline keeps rankings, and
    # score_batches and join_batches hold parts of what evaluate finds, by their own tests.
    tried = set(re.findall(r"workflows\.(\w+)", Path(__file__).read_text(encoding="utf-8")))
    wrapped = {"factors_file", "freeze_baseline"}
    wrapped |= {"score_batches", "join_batches"}
    # Its list names no measure; tests of judging try goals by a measure of one's own.
    wrapped |= {"next"}
    # Subtopics ask for measures of their own kind; their tests take them.
    wrapped |= {"diversity"}
    # Labels and witnesses have their own tests, by measures of several families.
    wrapped |= {"agree", "compare_with_labels", "estimate_from_scores", "estimate_with_labels"}
    wrapped |= {"labelled_sample", "witness"}
    # The best possible score, and the page of two runs, have tests by measures of several families.
    wrapped |= {"ceilings", "side_by_side"}
    # A card and a campaign keep measures by name; a query is written for measures of ours alone.
    wrapped |= {"make_card", "make_campaign", "sql"}
    assert about_measures - tried - wrapped - {"read_score_files", "trec_eval"} == set()
