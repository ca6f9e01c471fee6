"""What a campaign has, and what it lacks before people can judge."""

from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["CampaignContents"]


@finding
class CampaignContents(Finding):
    """What a campaign has by now.

    Attributes
    ----------
    name, path : str
        The campaign and its folder.
    topics, runs, documents : int
        How many of each were added.
    judgments : int
        How many answers people have given.
    without_text : int
        Documents in the first ranks of runs that have no text that could be judged.
    news : str
        What was done just now, in a sentence; empty where nothing was.

    Examples
    --------
    >>> made = CampaignContents("dl19", "dl19", 43, 0, 8841823, 0, 0)
    >>> made.sentences()
    ('It needs runs before people can judge: poolwise campaign add-run dl19 RUNS.',)
    """

    name: str
    path: str
    topics: int
    runs: int
    documents: int
    judgments: int
    without_text: int
    news: str = ""

    def columns(self) -> Columns:
        """Return one row."""
        names = ("name", "path", "topics", "runs", "documents", "judgments", "without_text")
        return {name: [getattr(self, name)] for name in names}

    def sentences(self) -> tuple[str, ...]:
        """Say what was done, and what is to be done before people can judge."""
        lacking = [
            f"It needs {what} before people can judge: poolwise campaign {command} {self.path} "
            f"{argument}."
            for what, count, command, argument in (
                ("topics", self.topics, "add-topics", "FILE"),
                ("documents", self.documents, "add-documents", "FILE"),
                ("runs", self.runs, "add-run", "RUNS"),
            )
            if not count
        ]
        unread = (
            f"{counted(self.without_text, 'document')} in the first ranks of the runs "
            f"{'has' if self.without_text == 1 else 'have'} no text that could be judged: add "
            "more documents."
        )
        said = [self.news, *([unread] if self.without_text else []), *lacking]
        ready = "People can judge."
        return tuple(filter(None, [*said, *([] if lacking else [ready])]))
