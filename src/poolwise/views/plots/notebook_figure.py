"""A Matplotlib figure that a notebook shows without any magic command."""

from io import BytesIO

from matplotlib.figure import Figure

__all__ = ["NotebookFigure"]


class NotebookFigure(Figure):
    r"""A figure that belongs to no window and shows itself where it is the value of a cell.

    It is saved as any other: ``figure.savefig("leaderboard.pdf")``.

    Examples
    --------
    >>> NotebookFigure()._repr_png_()[:4]
    b'\x89PNG'
    """

    def _repr_png_(self) -> bytes:
        self.savefig(picture := BytesIO(), format="png", dpi=150)
        return picture.getvalue()
