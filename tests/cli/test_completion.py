"""The tab key: what the shells ask by click's protocol, and what they are answered."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.test_words import commands

import poolwise as pw
from poolwise.cli._parameter_types import (
    ANY_MEASURES,
    DIVERSITY_MEASURES,
    MEASURES,
    TREC_EVAL_MEASURES,
    Registry,
)

PROGRAM = (sys.executable, "-c", "from poolwise.cli.main import main; main()")
PAGE = Path(__file__).parents[2] / "docs" / "completion.md"


def asked(shell: str, *words: str) -> list[str]:
    """Return what poolwise answers a shell in which the last of these words is being typed."""
    place = words[-1] if shell == "fish" else str(len(words))
    environment = {
        **os.environ,
        "_POOLWISE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": " ".join(("poolwise", *words)),
        "COMP_CWORD": place,
    }
    answer = subprocess.run(PROGRAM, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 -- our own interpreter
    assert answer.stderr == ""
    return answer.stdout.splitlines()


def offered(kind: click.ParamType, typed: str) -> list[str]:  # type: ignore[type-arg] # not generic before click 8.4
    """Return the values that a type offers."""
    context = click.Context(click.Command("any"))
    return [item.value for item in kind.shell_complete(context, click.Option(["-m"]), typed)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_offered_measures(shell: str) -> None:
    """Behind -m, by the protocol of each shell."""
    answer = asked(shell, "evaluate", "qrels.txt", "runs", "-m", "nDCG")
    names = {
        "bash": ["plain,nDCG", "plain,nDCG@10", "plain,nDCG@100", "plain,nDCGRel"],
        "zsh": ["plain", "nDCG", "plain", "nDCG@10", "plain", "nDCG@100", "plain", "nDCGRel"],
        "fish": ["plain,nDCG", "plain,nDCG@10", "plain,nDCG@100", "plain,nDCGRel"],
    }
    if shell == "zsh":  # type, name and help stand in three lines
        answer = [line for i, line in enumerate(answer) if i % 3 < 2]
    assert [line.partition("\t")[0] for line in answer] == names[shell]


def test_bash_completes_by_the_script_that_the_page_names(tmp_path: Path) -> None:
    """The function of the script fills in what bash shows."""
    program = tmp_path / "poolwise"
    program.write_text(f'#!/bin/sh\nexec "{PROGRAM[0]}" -c "{PROGRAM[2]}" "$@"\n')
    program.chmod(0o755)
    (source,) = re.findall(r"```bash\n(eval .*)\n```", PAGE.read_text("utf-8"))
    lines = [
        source,
        "COMP_WORDS=(poolwise evaluate qrels.txt runs -m AP,ndcg)",
        "COMP_CWORD=5",
        "_poolwise_completion poolwise",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    ]
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(  # noqa: S603 -- our own words
        ["bash", "-c", "\n".join(lines)],  # noqa: S607 -- as above
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["AP,nDCG", "AP,nDCG@10", "AP,nDCG@100", "AP,nDCGRel"]
    assert ran.stderr == ""


def test_commands_and_choices_are_completed() -> None:
    """As click does it, although a command is loaded only when it is asked for."""
    assert asked("bash", "eval") == ["plain,evaluate"]
    assert asked("bash", "study", "curv") == ["plain,curves"]
    assert "plain,wilcoxon" in asked("bash", "compare", "--test", "w")


def test_rules_come_behind_files() -> None:
    """Bash forgets what is offered before files are."""
    assert asked("bash", "evaluate", "--topics", "co") == ["file,co", "plain,common"]


@pytest.mark.parametrize("kind", [MEASURES, DIVERSITY_MEASURES, ANY_MEASURES])
def test_every_name_that_is_offered_is_one(kind: click.ParamType) -> None:  # type: ignore[type-arg] # as above
    """Whatever is completed can be read, with parameters and without."""
    names = offered(kind, "")
    assert names
    assert not any("(" in name for name in names)
    for name in names:
        stem = name.partition("@")[0]
        for full in (name, *offered(kind, f"{stem}(")):
            assert pw.workflows.explain(full), full


def test_names_with_parameters_come_after_a_parenthesis() -> None:
    """A comma between parameters does not begin another name."""
    assert offered(MEASURES, "RBP(p=0.95,") == ["RBP(p=0.95,gain='linear')"]
    assert offered(MEASURES, "AP,RBP(p=0.8") == ["AP,RBP(p=0.8)"]


def test_names_of_trec_eval_are_completed() -> None:
    """Its nicknames first."""
    assert offered(TREC_EVAL_MEASURES, "")[:3] == ["official", "all_trec", "set"]
    assert offered(TREC_EVAL_MEASURES, "ndcg_c") == ["ndcg_cut"]


def test_every_option_for_measures_is_completed() -> None:
    """No command has an -m of which the shell knows nothing."""
    without = [
        name
        for name, command in commands()
        for parameter in command.params
        if "-m" in parameter.opts and not parameter.shell_complete(click.Context(command), "")
    ]
    assert without == []


def test_names_of_a_registry_are_offered() -> None:
    """Where a few names can be typed, those that begin as typed are offered."""
    kind = Registry("studies:TAUS")
    assert offered(kind, "") == list(kind.choices)
    assert offered(kind, "no such") == []
