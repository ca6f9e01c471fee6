"""A version of a campaign's judgments, and how it differs from the one before."""

import numpy as np

from poolwise.collection._judgments import Judgments
from poolwise.collection._labels import Labels, join_labels
from poolwise.findings.labels._agreement_counts import KAPPAS, confusions, kappa
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted

__all__ = ["CampaignExport", "kappa_between"]


@finding
class CampaignExport(Finding):
    """Judgments that were exported: one link of a chain of versions.

    Attributes
    ----------
    judgments : Judgments
        What was exported.
    version, previous : str
        Hashes: a version follows from the one before, the rule and the judgments.
    rule : str
        What made one grade of several.
    undecided : int
        Documents with grades of which the rule makes none.
    shared : int
        Documents that both versions have.
    kappa : float
        Cohen's κ of both versions over those; NaN where it has no value.
    path : str
        The file.
    """

    judgments: Judgments
    version: str
    previous: str
    rule: str
    undecided: int
    shared: int
    kappa: float
    path: str = ""

    def columns(self) -> Columns:
        """Return one row."""
        return {
            "version": [self.version],
            "previous": [self.previous],
            "rule": [self.rule],
            "documents": [len(self.judgments)],
            "undecided": [self.undecided],
            "shared": [self.shared],
            "kappa": [self.kappa],
            "path": [self.path],
        }

    def sentences(self) -> tuple[str, ...]:
        """Say what was exported, and how it differs from the version before."""
        undecided = (
            f"{counted(self.undecided, 'document')} with different grades "
            f"{'is' if self.undecided == 1 else 'are'} left out: nobody has decided on them."
        )
        documents = counted(len(self.judgments), "document")
        exported = f"{documents} by the rule {self.rule}: version {self.version[:12]}."
        return (*([undecided] if self.undecided else []), exported, self._before())

    def _before(self) -> str:
        if not self.previous:
            return "It is the first version."
        both = f"It follows version {self.previous[:12]}; {counted(self.shared, 'document')}"
        if np.isnan(self.kappa):
            return f"{both} are in both. Scores of the two are not to be mixed."
        return (
            f"{both} are in both, with κ {self.kappa:.3f}. Scores of the two are not to be mixed."
        )


def kappa_between(before: Judgments, after: Judgments) -> tuple[int, float]:
    """Return how many documents two versions share, and Cohen's κ over those.

    Examples
    --------
    >>> before = Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 1, "d": 0}})
    >>> after = Judgments.from_dict({"1": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}})
    >>> kappa_between(before, after)
    (4, 0.5)
    """
    both = join_labels([Labels.of(before, "before"), Labels.of(after, "after")])
    scale = np.unique(both.grade[~np.isnan(both.grade)])
    first, second = both.matrix()
    counts = confusions(first, second, both.topic_of_document, (scale, scale)).sum(axis=0)
    return int(counts.sum()), float(kappa(counts, KAPPAS["nominal"](scale)))
