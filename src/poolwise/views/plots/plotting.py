"""A plot of whatever was found, as a figure or as a file."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolwise.errors import OptionError, require_choice
from poolwise.provenance._files import write_file
from poolwise.scores._by_measure import ByMeasure
from poolwise.views.plots.plot_kinds import PLOTS, Part, itself
from poolwise.views.plots.style import Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot", "plot_bytes", "save_plot"]


def plot(
    finding: Any,
    kind: str | None = None,
    *,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    ax: "Axes | None" = None,
    **options: Any,
) -> "Figure":
    """Draw a finding.

    The figure shows itself in a notebook, and is saved as PDF, SVG or PNG by its ``savefig``.
    No setting of Matplotlib is changed.

    Parameters
    ----------
    finding
        Scores, comparisons, estimates, overlaps, power, or what :func:`~poolwise.report` found.
    kind
        A key of ``PLOTS``, by default the first that fits the finding.
    title
        In place of the usual one; empty for none.
    size
        Width and height in inches; by default as large as the names in it need.
    ax
        Matplotlib axes to draw into, instead of a new figure.
    options
        Of the kind: ``a`` and ``b`` of ``deltas``, ``level`` of ``leaderboard``.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; that of ``ax`` where it is given.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> plot(table).axes[0].get_xlabel()
    'mean AP'
    >>> plot(table, "deltas", a="a", b="b").axes[0].get_title(loc="left")
    'a − b: 1 win, 1 tie, 1 loss'
    """
    name = _kind(finding, kind)
    part = _part(finding, name, {o: options.pop(o) for o in PLOTS[name].asks if o in options})
    return PLOTS[name].draw(part, Frame(title, size, ax), **options)


def save_plot(
    finding: Any, path: str | Path, kind: str | None = None, *, dpi: int = 200, **options: Any
) -> None:
    """Draw a finding into a file, whose ending says how: PDF, SVG, PNG and others.

    Parameters
    ----------
    finding, kind, options
        As for :func:`~poolwise.plot`.
    path
        The file.
    dpi
        Dots per inch, where the format has any.

    Examples
    --------
    >>> import tempfile
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_plot(table, f"{folder}/scores.svg")
    ...     Path(f"{folder}/scores.svg").read_bytes().startswith(b"<?xml")
    True
    """
    write_file(path, plot_bytes(finding, path, kind, dpi=dpi, **options))


def plot_bytes(
    finding: Any, path: str | Path, kind: str | None = None, *, dpi: int = 200, **options: Any
) -> bytes:
    """Return what :func:`save_plot` writes into a file of this name.

    Parameters
    ----------
    finding, kind, options
        As for :func:`~poolwise.plot`.
    path : str or Path
        The name of the file, whose ending says the format; nothing is written there.
    dpi : int
        Dots per inch, where the format has any.

    Returns
    -------
    bytes
        The content of the file.

    Examples
    --------
    >>> from poolwise import ScoreTable
    >>> table = ScoreTable.from_matrix([[0.5, 0.3, 0.4], [0.1, 0.4, 0.4]], systems=["a", "b"],
    ...                                topics=["1", "2", "3"], measure="AP")
    >>> plot_bytes(table, "scores.pdf")[:4]
    b'%PDF'
    """
    figure = plot(finding, kind, **options)
    known, form = figure.canvas.get_supported_filetypes(), Path(path).suffix[1:].lower()
    require_choice("path, which ends in", form, known)
    figure.savefig(picture := BytesIO(), dpi=dpi, format=form)
    return picture.getvalue()


def _part(finding: Any, kind: str, told: dict[str, Any]) -> Any:
    """Return what is drawn of a finding, or say what is missing."""
    chosen = PLOTS[kind]
    take = next(part for made_of, part in chosen.parts.items() if isinstance(finding, made_of))
    missing = [option for option in chosen.asks if option not in told]
    if missing and take is not itself:
        raise OptionError(
            f"{', '.join(missing)}: {kind!r} takes two runs by name. Hint: use "
            f"plot(…, {kind!r}, a=…, b=…)."
        )
    part = take(finding, **told)
    if part is None:
        raise OptionError(
            f"kind: {kind!r} has nothing to draw, since {chosen.without}. Hint: use another of "
            f"{', '.join(_kinds(finding))}."
        )
    return part


def _kinds(finding: Any) -> list[str]:
    """Return the kinds of plots that can be made of a finding, the usual one first."""
    return [kind for kind, plot in PLOTS.items() if _fits(finding, plot.parts)]


def _fits(finding: Any, parts: Mapping[type, Part]) -> bool:
    """Tell whether a finding is one of these types; those of several measures ask their parts."""
    if isinstance(finding, ByMeasure):
        return ByMeasure in parts and isinstance(finding.parts[0], tuple(parts))
    return isinstance(finding, tuple(parts))


def _kind(finding: Any, wanted: str | None) -> str:
    """Return the kind asked for, or the usual one, or say what there is."""
    if wanted is not None:
        require_choice("kind", wanted, PLOTS)
    fitting = _kinds(finding)
    if not fitting:
        known = dict.fromkeys(t.__name__ for plot in PLOTS.values() for t in plot.parts)
        raise OptionError(
            f"finding: there is no plot of {type(finding).__name__}. Hint: use one of "
            f"{', '.join(known)}."
        )
    if wanted is not None and wanted not in fitting:
        raise OptionError(
            f"kind: {wanted!r} is no plot of {type(finding).__name__}. Hint: use one of "
            f"{', '.join(fitting)}."
        )
    return wanted or fitting[0]
