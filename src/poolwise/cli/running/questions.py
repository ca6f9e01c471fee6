"""Help that lists commands under the questions they answer."""

from collections.abc import Iterable, Mapping

import click

__all__ = ["write_questions"]


def write_questions(
    formatter: click.HelpFormatter,
    questions: Mapping[str, Iterable[str]],
    commands: Mapping[str, click.Command],
) -> None:
    """Write one section per question, with the commands that answer it.

    Examples
    --------
    >>> formatter = click.HelpFormatter()
    >>> asked = {"How many?": ["count"]}
    >>> count = click.Command("count", help="Count documents.")
    >>> write_questions(formatter, asked, {"count": count})
    >>> print(formatter.getvalue().strip())
    How many?
      count  Count documents.
    """
    for question, names in questions.items():
        formatter.write_paragraph()
        formatter.write(f"{question}\n")  # a section would put a colon behind the question
        with formatter.indentation():
            formatter.write_dl([(n, commands[n].get_short_help_str(60)) for n in names])
