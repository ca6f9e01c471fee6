"""Levels of significance and of confidence: the one place where they are checked."""

from numbers import Real

from poolwise.errors import OptionError

__all__ = ["check_alpha", "check_level", "level_text"]


def check_alpha(alpha: float) -> None:
    """Refuse a significance level that is not a share.

    Examples
    --------
    >>> check_alpha(5)
    Traceback (most recent call last):
        ...
    poolwise.errors.OptionError: alpha: a significance level is between 0 and 1; got 5. Hint: use
    0.05.
    """
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise OptionError(
            f"alpha: a significance level is between 0 and 1; got {alpha!r}. Hint: use 0.05."
        )


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a share."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise OptionError(
            f"level: a confidence level is between 0 and 1; got {level!r}. Hint: use 0.95."
        )


def level_text(level: float) -> str:
    """Return a level in percent, with as many digits as it has.

    Examples
    --------
    >>> level_text(0.95), level_text(1 - 0.001)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"
