"""What is typed with commas between: names, whole numbers, shares and grades."""

import click

__all__ = [
    "grade_list",
    "several_names",
    "shares",
    "split_names",
    "whole_numbers",
    "whole_numbers_if_any",
]


def split_names(values: tuple[str, ...]) -> tuple[str, ...]:
    """Split at the commas that stand outside parentheses.

    Examples
    --------
    >>> split_names(("AP,RBP(p=0.8,rel=2)", "P@10"))
    ('AP', 'RBP(p=0.8,rel=2)', 'P@10')
    """
    names, depth = [""], 0
    for character in ",".join(values):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return tuple(name.strip() for name in names if name.strip())


def several_names(
    _ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Read names from an option that may be repeated."""
    return split_names(value)


def whole_numbers(_ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    """Read depths or other whole numbers, above 0, with commas between them."""
    try:
        numbers = tuple(int(number) for number in value.split(","))
    except ValueError:
        numbers = (0,)
    if min(numbers) < 1:
        raise click.BadParameter(
            f"it takes whole numbers with commas between, all above 0; got {value!r}. Hint: write "
            "5,10,20.",
            param=param,
        )
    return numbers


def whole_numbers_if_any(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, ...]:
    """Read whole numbers as above, or none where the option is not given or empty."""
    return whole_numbers(ctx, param, value) if value else ()


def shares(_ctx: click.Context, param: click.Parameter, value: str) -> tuple[float, ...]:
    """Read shares or other numbers from 0 to 1, with commas between them."""
    try:
        numbers = tuple(float(number) for number in value.split(","))
    except ValueError:
        numbers = (-1.0,)
    if not all(0 <= number <= 1 for number in numbers):
        raise click.BadParameter(
            f"it takes numbers from 0 to 1 with commas between; got {value!r}. Hint: write "
            "0.5,0.8,0.95.",
            param=param,
        )
    return numbers


def grade_list(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[float, ...]:
    """Read the grades that a document can have, with commas between them; perhaps none."""
    try:
        return tuple(float(grade) for grade in value.split(",") if grade.strip())
    except ValueError:
        raise click.BadParameter(
            f"grades are numbers with commas between them; got {value!r}. Hint: write 0,1,2,3."
        ) from None
