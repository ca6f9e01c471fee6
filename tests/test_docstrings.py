"""Every public name says what it takes, what it gives, and shows it by an example that runs."""

import inspect
from typing import Any

import pytest

import poolwise

ROOMS = (
    *("collection", "evidence", "measures", "scores", "findings"),
    *("judging", "studies", "workflows", "views", "printout"),
)
NOT_YET: frozenset[str] = frozenset(
    {
        "poolwise.audit",
        "poolwise.compare",
        "poolwise.convert_judgments",
        "poolwise.estimate",
        "poolwise.evaluate",
        "poolwise.from_pyterrier",
        "poolwise.gate",
        "poolwise.html_page",
        "poolwise.merge_judgments",
        "poolwise.next_to_judge",
        "poolwise.plot",
        "poolwise.pool",
        "poolwise.pool_to_judge",
        "poolwise.report",
        "poolwise.results_table",
        "poolwise.save_plot",
        "poolwise.similarity",
        "poolwise.trec_eval",
        "poolwise.views.github_annotations",
        "poolwise.views.junit_bytes",
        "poolwise.views.load_altair",
        "poolwise.views.page_record",
        "poolwise.views.paper_table",
        "poolwise.views.plot_bytes",
        "poolwise.views.trec_eval_lines",
        "poolwise.workflows.TrecEvalOptions",
        "poolwise.workflows.about_installation",
        "poolwise.workflows.as_evidence",
        "poolwise.workflows.as_groups",
        "poolwise.workflows.as_judgments",
        "poolwise.workflows.as_runs",
        "poolwise.workflows.check_similarity",
        "poolwise.workflows.choose_reduction",
        "poolwise.workflows.compare_by_measures",
        "poolwise.workflows.compare_tables",
        "poolwise.workflows.design_from_numbers",
        "poolwise.workflows.design_from_runs",
        "poolwise.workflows.design_from_scores",
        "poolwise.workflows.design_step",
        "poolwise.workflows.estimate_by_measures",
        "poolwise.workflows.existing_files",
        "poolwise.workflows.factors_file",
        "poolwise.workflows.freeze_baseline",
        "poolwise.workflows.join_batches",
        "poolwise.workflows.make_demo",
        "poolwise.workflows.plan_from_numbers",
        "poolwise.workflows.plan_from_scores",
        "poolwise.workflows.read_score_files",
        "poolwise.workflows.read_topics",
        "poolwise.workflows.sample_documents",
        "poolwise.workflows.sampled_judgments",
        "poolwise.workflows.score_runs",
        "poolwise.workflows.similarity_by_topic",
        "poolwise.workflows.standardize_tables",
        "poolwise.workflows.study_comparability",
        "poolwise.workflows.study_depths",
        "poolwise.workflows.study_discrimination",
        "poolwise.workflows.study_inclusion",
        "poolwise.workflows.study_judging_orders",
        "poolwise.workflows.study_leave_out",
        "poolwise.workflows.study_movement",
        "poolwise.workflows.study_peeking",
        "poolwise.workflows.study_persistence",
        "poolwise.workflows.study_predictivity",
        "poolwise.workflows.study_swaps",
        "poolwise.workflows.to_judge_bytes",
        "poolwise.workflows.trec_eval_scores",
    }
)
"""Names whose docstrings lack a part; a name leaves this list when it has all of them."""


WITHOUT_ATTRIBUTES = {
    "poolwise.studies.JudgmentReduction": "a protocol of one method, whose fields are its makers'"
}
"""Classes that have nothing to list, and why."""


def is_documented(value: Any) -> bool:
    """Say whether a value has a docstring of its own: a function, or a class to work with.

    An exception is raised by others and carries a message, so that there is nothing to show.
    """
    if inspect.isclass(value):
        return not issubclass(value, BaseException)
    return inspect.isroutine(value)


def public_names() -> dict[str, Any]:
    """Return the functions and classes of the front door and the rooms, each of them once."""
    doors = [poolwise, *(getattr(poolwise, room) for room in ROOMS)]
    found: dict[int, tuple[str, Any]] = {}
    for door in doors:
        for name in door.__all__:
            value = getattr(door, name)
            if is_documented(value):
                found.setdefault(id(value), (f"{door.__name__}.{name}", value))
    return dict(found.values())


PUBLIC = public_names()
NOTHING_TO_LIST = tuple(PUBLIC[name] for name in WITHOUT_ATTRIBUTES)


def has_section(text: str, *titles: str) -> bool:
    """Say whether a docstring has a section of one of these titles."""
    return any(f"\n{title}\n{'-' * len(title)}\n" in text for title in titles)


def missing_parts(value: Any) -> list[str]:
    """Return what the docstring of a function or class lacks."""
    text = inspect.getdoc(value) or ""
    missing = [] if has_section(text, "Examples") and ">>> " in text else ["Examples"]
    if inspect.isclass(value):
        described = has_section(text, "Attributes", "Parameters") or value in NOTHING_TO_LIST
        return missing if described else ["Attributes", *missing]
    signature = inspect.signature(value)
    if signature.parameters and not has_section(text, "Parameters"):
        missing.append("Parameters")
    returns = signature.return_annotation not in (None, "None")
    if returns and not has_section(text, "Returns", "Yields"):
        missing.append("Returns")
    return missing


def test_the_names_are_those_of_all_rooms() -> None:
    """No room, and no class or function of it, escapes the next test."""
    rooms = {name.split(".")[1] for name in PUBLIC if name.count(".") > 1}
    assert rooms | {"front door"} == {*ROOMS, "front door"}
    assert {"poolwise.evaluate", "poolwise.Runs", "poolwise.studies.leave_out"} <= set(PUBLIC)


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - NOT_YET))
def test_a_public_name_is_documented(name: str) -> None:
    """It has Parameters or Attributes, Returns where it returns something, and an example."""
    assert missing_parts(PUBLIC[name]) == []


def test_a_docstring_without_a_part_is_found() -> None:
    """The test above is not green for any docstring."""

    def bare(depth: int) -> int:
        """Return the depth.

        Parameters
        ----------
        depth
            How deep.
        """
        return depth

    assert missing_parts(bare) == ["Examples", "Returns"]


@pytest.mark.parametrize("name", sorted(NOT_YET))
def test_the_list_of_exceptions_only_shrinks(name: str) -> None:
    """A name that has all parts, or is gone, does not stay in the list."""
    assert name in PUBLIC
    assert missing_parts(PUBLIC[name]) != []
