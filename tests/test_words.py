"""What a user reads is plain English: whole sentences, in the words of the field."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
from tests.each import over

import poolwise
from poolwise.cli._parameter_types import DescribedArgument
from poolwise.cli.main import main

SOURCE = Path(poolwise.__file__).parent

IMPERATIVES = frozenset(
    {
        *("Accept", "Let", "Listen", "Mark", "Pass", "Rank", "Serve"),
        *("Allow", "Analyse", "Measure", "Begin", "Cite", "Decide", "Fit", "Translate"),
        *("Add", "Ask", "Assume", "Average", "Call", "Check", "Choose", "Compare", "Compute"),
        *(
            "Convert",
            "Correct",
            "Count",
            "Declare",
            "Divide",
            "Draw",
            "Estimate",
            "Evaluate",
            "Explain",
            "Find",
            "Guard",
            "Import",
            "Look",
        ),
        *(
            "Join",
            "Judge",
            "Keep",
            "Leave",
            "List",
            "Make",
            "Merge",
            "Map",
            "Order",
            "Plan",
            "Pool",
            "Prepare",
            "Print",
            "Put",
        ),
        *(
            "Read",
            "Refuse",
            "Remove",
            "Repeat",
            "Resolve",
            "Replace",
            "Replay",
            "Run",
            "Score",
            "Set",
            "Share",
            "Show",
            "Simulate",
            "Skip",
            "Split",
        ),
        *(
            "Mark",
            "Rank",
            "Standardize",
            "Start",
            "Test",
            "Treat",
            "Use",
            "Write",
            "Do",
        ),
    }
)
"""The verbs that a help may begin with: an imperative makes a whole sentence of it."""

NOUNS = frozenset(
    {
        *(
            "Candidate",
            "Day",
            "Decimals",
            "Depth",
            "Depths",
            "File",
            "Folder",
            "Format",
            "Interval",
            "Judgments",
        ),
        *("Largest", "Measure", "Name", "New", "Number", "Numbers", "Prior", "Range"),
        *("Relevance", "Run", "Runs", "Seed", "Share", "Standard", "Topic", "Topics"),
        *("Unjudged", "What", "Address", "Half-width", "Publication", "Reason", "Slices"),
        *("Smoothing",),
        *("Day", "Folder", "Names", "Year"),
    }
)
"""What the help of a value may begin with, which then says what the value is."""

MOST_ALIKE = 2
"""How many lines of one help may begin with the same verb."""

PRIVATE = re.compile(
    r"\b(to mend|gradings?|told apart|odds|packed|given? back|for good|meetings?|unpooling"
    r"|surely|barren|open judgments?|1 (runs|topics|documents|systems|pairs|judgments))\b",
    re.IGNORECASE,
)
"""Words of our own, where the field has others: assignment of grades, significantly different,
prior, compressed, bias-adjusted, holds."""

COUNTED = re.compile(
    r" (runs|topics|systems|documents|pairs|measures|judgments|draws|samples|lists|lines|files)\b"
)
FEWEST_WORDS = 4


def commands(group: click.Group = main) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its name, those of groups too."""
    for name, command in group.commands.items():
        yield f"{group.name} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command)


def helps() -> Iterator[tuple[str, str]]:
    """Yield the help of every option and argument, by where it is read."""
    for name, command in commands():
        for parameter in command.params:
            described = isinstance(parameter, DescribedArgument)
            text = parameter.help_text if described else getattr(parameter, "help", None)
            yield f"{name} {parameter.opts[0]}", text or ""


def places_by_help() -> dict[str, list[str]]:
    """Return each help once, with all places where it is read: many commands share an option."""
    places: dict[str, list[str]] = {}
    for place, text in helps():
        places.setdefault(text, []).append(place)
    return places


HELPS = places_by_help()


def is_whole(text: str) -> bool:
    """Tell whether a help, but for its default, says what is done, or what the value is."""
    sentences = re.sub(r"\s*\[default: .*\]$", "", text)
    words = sentences.split()
    begins = bool(words) and words[0].rstrip(",") in IMPERATIVES | NOUNS
    return len(words) >= FEWEST_WORDS and begins and sentences.endswith((".", ".)"))


@cache
def read_strings(path: Path) -> list[ast.AST]:
    """Return the strings of a module that a user may read: no docstrings, and no names of types."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = [node for node in nodes if isinstance(node, ast.Constant | ast.JoinedStr)]
    texts = [(node, str(getattr(node, "value", ""))) for node in strings]
    return [
        node
        for node, text in texts
        if id(node) not in documentation and not (text.isidentifier() and text[:1].isupper())
    ]


def is_bare_count(value: ast.AST) -> bool:
    """Tell whether a value in a string may be the number 1: it is no constant, and no mean."""
    if not isinstance(value, ast.FormattedValue):
        return False
    is_constant = isinstance(value.value, ast.Name) and value.value.id.isupper()
    is_mean = value.format_spec is not None and "f" in ast.unparse(value.format_spec)
    return not (is_constant or is_mean)


@over("text", HELPS, ids=[places[0] for places in HELPS.values()])
def test_every_help_is_a_whole_sentence(text: str) -> None:
    """An option or argument says what it does, or what it is: some words, and a full stop."""
    places = ", ".join(HELPS[text])
    assert is_whole(text), f"{places}: {text!r} is no whole sentence, and no name of a value"


@over("name, command", list(commands()), ids=str)
def test_no_help_begins_every_line_alike(name: str, command: click.Command) -> None:
    """Three lines below each other that begin with the same verb are no natural English."""
    verbs = Counter(
        text.split()[0]
        for parameter in command.params
        if (text := getattr(parameter, "help_text", None) or getattr(parameter, "help", None))
    )
    alike = {verb for verb, lines in verbs.items() if lines > MOST_ALIKE} & (IMPERATIVES - NOUNS)
    assert alike == set(), name


def test_fragments_are_not_whole_sentences() -> None:
    """What once stood in our help is told from a sentence."""
    fragments = ("Of the bins.", "Pool so few ranks", "Relevant from here.", "The seed of it all.")
    assert not any(is_whole(text) for text in fragments)


@over("name, command", list(commands()), ids=str)
def test_every_command_says_what_it_does(name: str, command: click.Command) -> None:
    """A command's help begins with an imperative, and each paragraph ends with a full stop."""
    paragraphs = (command.help or "").strip().split("\n\n")
    assert paragraphs[0].split()[0] in IMPERATIVES, name
    assert all(paragraph.rstrip().endswith(".") for paragraph in paragraphs), name


@over("name, command", list(commands()), ids=str)
def test_every_argument_is_described(name: str, command: click.Command) -> None:
    """No argument is without a help of its own, and the command's help prints it."""
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    assert all(isinstance(p, DescribedArgument) for p in arguments), name
    printed = " ".join(command.get_help(click.Context(command)).split())
    assert all(p.help_text in printed for p in arguments if isinstance(p, DescribedArgument))


def test_no_word_of_our_own_is_read() -> None:
    """Help texts, sentences and errors use the words of the field."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {node.value}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in read_strings(path)
        if isinstance(node, ast.Constant) and PRIVATE.search(str(node.value))
    ]
    wrong += [name for name, command in commands() if PRIVATE.search(command.help or "")]
    assert wrong == []


def test_a_number_agrees_with_its_noun() -> None:
    """A count stands before a noun by `counted` alone, which knows "1 run" from "2 runs"."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in read_strings(path)
        if isinstance(node, ast.JoinedStr)
        for value, after in zip(node.values, node.values[1:], strict=False)
        if is_bare_count(value)
        and isinstance(after, ast.Constant)
        and COUNTED.match(str(after.value))
        and " to " not in ast.unparse(node)  # the end of a range is more than its start
    ]
    assert wrong == []


def test_one_thing_has_one_word() -> None:
    """What becomes of unjudged documents is a treatment, in every command."""
    earlier = {"--method", "--unjudged"}
    # What orders documents to judge is called a method, too, and treats nothing.
    others = {"main next", "study judging-order"}
    named = [
        p
        for name, command in commands()
        if name not in others
        for p in command.params
        if earlier & {*p.opts}
    ]
    assert len(named) > 1
    assert all(p.opts[0] == "--treatment" for p in named)
