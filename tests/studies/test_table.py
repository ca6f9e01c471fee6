"""The table of studies: what an entry says is there, and nothing is said twice."""

import inspect

import pytest
from click.testing import CliRunner

import poolwise as pw
from poolwise.cli._options import Registry
from poolwise.cli.main import main
from poolwise.studies._table import QUESTIONS, STUDIES, Study
from poolwise.views.plots._plots import PLOTS
from poolwise.workflows._studies import help_of, load, name_of, parameters_of

every_study = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)


def parameters(study: Study) -> set[str]:
    """Return the parameters of all functions of a study."""
    return {
        name for place, _ in study.functions() for name in inspect.signature(load(place)).parameters
    }


def test_every_study_has_a_name_of_its_own() -> None:
    """No two studies share a name, and each stands under one of the questions."""
    assert len({study.name for study in STUDIES}) == len(STUDIES)
    assert [*dict.fromkeys(study.question for study in STUDIES)] == [*QUESTIONS]


@every_study
def test_a_study_is_a_public_function(study: Study) -> None:
    """Whoever writes Python calls the function of the entry, by the door that offers it."""
    for place, _ in study.functions():
        door, _, name = place.partition(".")
        assert name in getattr(pw, door).__all__


@every_study
def test_an_entry_names_parameters_that_there_are(study: Study) -> None:
    """What an entry says of an option is said of an option of the function."""
    said = {*study.options, *study.api_only, *study.renamed, *study.makes}
    assert said - {"a"} <= parameters(study)  # which renames the run of agreement
    if study.instead:
        options = {name_of(study, name) for name in parameters(study)}
        assert {*study.instead.when} <= options


@every_study
def test_every_option_says_what_it_does(study: Study) -> None:
    """A text stands in the docstring or in the entry; options that commands share have theirs."""
    shared = {"alpha", "groups", "pooled", "resamples", "seed", "test", "treatments", "universe"}
    shared |= {"universe_depth", "workers"}
    for name, parameter in parameters_of(study).items():
        entry = study.options.get(parameter.name, study.options.get(name))
        assert name in shared or parameter.text or (entry and entry.help), name
    assert help_of(study).endswith(".")


@every_study
def test_choices_are_those_of_a_registry(study: Study) -> None:
    """A registry that an entry names has choices, and the default is one of them."""
    options = {name: option for name, option in study.options.items() if option.choices}
    for name, option in options.items():
        choices = Registry(option.choices.replace(".", ":"), leave_out=option.leave_out).choices
        default = option.default or parameters_of(study)[name_of(study, name)].default
        several = default if isinstance(default, tuple) else (default,)
        assert {*several} <= {*choices}


@every_study
def test_plots_are_kinds_of_plots(study: Study) -> None:
    """What an entry can be drawn as is in the list of plots."""
    assert {*study.plots} <= {*PLOTS}


def test_peeking_starts_alike_by_command_and_in_python() -> None:
    """It starts at 25 topics by either way: the help of the command is made from the function."""
    default = inspect.signature(pw.findings.peek).parameters["start"].default
    text = CliRunner().invoke(main, ["study", "peeking", "--help-all"]).output
    assert default == 25
    assert f"[default: {default}" in text[text.index("--start") : text.index("--orders")]
