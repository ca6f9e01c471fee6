"""``poolwise study``: commands that are made from the table of studies."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
from click.testing import Result
from tests.each import over

import poolwise as pw
from poolwise.cli.study import study
from poolwise.studies._table import STUDIES, Study
from poolwise.workflows._studies import StudyInput, parameters_of

SHARED_DEFAULTS = ("treatments", "seed", "workers", "measures")

every_study = over("entry", STUDIES, ids=lambda entry: entry.name)


def options_of(entry: Study) -> dict[str, click.Option]:
    """Return the options of a command by the names of their values."""
    params = study.commands[entry.name].params
    return {str(option.name): option for option in params if isinstance(option, click.Option)}


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


def test_deeply_judged_runs_alone_can_be_studied(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    """`--deep D` keeps the runs that are judged at every rank to D, whatever a study takes."""
    made = pw.simulate(systems=8, topics=6, depth=30, rng=3)
    pw.write_judgments(made.judgments, tmp_path / "qrels.txt")
    for system in made.runs.systems:
        pw.write_run(made.runs, system, tmp_path / f"{system}.run")
    files = [str(tmp_path / "qrels.txt"), *(str(p) for p in sorted(tmp_path.glob("*.run")))]
    deep = pw.nominate(made.judgments, made.runs).deeply_judged(5)
    assert 2 <= len(deep) < 8
    for words in (("orders", "-m", "P@5", "-m", "P@2"), ("variance", "-m", "P@5"), ("votes",)):
        result = run("study", words[0], *files, *words[1:], "--deep", "5", "--format", "json")
        assert result.exit_code == 0, result.output
    kept = StudyInput(made.judgments, made.runs, deep=5).collection()[1]
    assert kept.systems == deep
    tables = pw.workflows.score_runs(made.judgments, made.runs, ["P@5"])
    study_input = StudyInput(made.judgments, made.runs, tables=tables, deep=5)
    assert study_input.scored()[0].systems == deep
    none = run("study", "votes", *files, "--deep", "30")
    assert none.exit_code == 3
    assert "needs two runs that are judged down to rank 30" in none.stderr
