"""``poolwise study``: commands that are made from the table of studies."""

import subprocess
import sys

import click
import pytest

from poolwise.cli.study import study
from poolwise.studies._table import STUDIES, Study
from poolwise.workflows._studies import parameters_of

SHARED_DEFAULTS = ("treatments", "seed", "workers", "measures")

every_study = pytest.mark.parametrize("entry", STUDIES, ids=lambda entry: entry.name)


def options_of(entry: Study) -> dict[str, click.Option]:
    """Return the options of a command by the names of their values."""
    found = study.commands[entry.name].params
    return {str(option.name): option for option in found if isinstance(option, click.Option)}


@every_study
def test_a_command_has_every_option_of_its_function(entry: Study) -> None:
    """Each has its option, unless the entry keeps it for Python; and is asked for where it must."""
    options = options_of(entry)
    for name, parameter in parameters_of(entry).items():
        said = entry.options.get(parameter.name)
        assert options[name].required == (parameter.required and not (said and said.default))


@every_study
def test_a_command_and_its_function_have_the_same_default(entry: Study) -> None:
    """What nobody types is what nobody passes, unless the entry says otherwise."""
    for name, parameter in parameters_of(entry).items():
        said, option = entry.options.get(parameter.name), options_of(entry).get(name)
        # Treatments, seeds and workers have one default in all commands.
        if option is None or (said and said.default) or name in SHARED_DEFAULTS:
            continue
        # The information holds None where there is no default, whatever click calls it inside.
        value = option.to_info_dict()["default"]
        typed = ",".join(map(str, parameter.default)) if _is_list(parameter.default) else None
        assert value in (None, (), typed, parameter.default), name
        assert value or not parameter.default, name


def _is_list(value: object) -> bool:
    return isinstance(value, tuple)


def test_the_list_of_studies_loads_none_of_them() -> None:
    """`poolwise study --help` imports neither numpy nor scipy."""
    ask = "from poolwise.cli.main import main; main(['study', '--help'], standalone_mode=False)"
    code = f"import sys; {ask}; print(*{{m.split('.')[0] for m in sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 -- our own interpreter
    assert not {*ran.stdout.split()} & {"numpy", "scipy"}
