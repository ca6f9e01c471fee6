"""What is left out of a pool together: groups that were told, runs that are alike, or runs."""

from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Floats, Indices
from poolwise.evidence._evidence import Evidence
from poolwise.evidence.unknowns.relevance_model._features import PooledDocuments
from poolwise.words import counted

__all__ = [
    "FEWEST_KINDS",
    "Units",
    "kinds_of_runs",
    "shared_documents",
    "units_text",
    "with_units",
]

FEWEST_KINDS = 5
"""With fewer kinds of pooled runs no level is worth a promise."""
_ENOUGH_KINDS = 19
"""As many promise 95%: a new one is the worst of 20 in 5% of cases."""
_ENOUGH_GIVEN = 10
"""Kinds of runs, pooled or new, whose agreement tells more than a run's own judged documents do."""
_ALIKE = 0.6
"""Runs that share so much of their first ranks, on average, are of one kind."""


@dataclass(frozen=True)
class Units:
    """What is left out in turn.

    Attributes
    ----------
    what : str
        ``"group"``, ``"kind of run"`` or ``"run"``.
    kinds : int
        How many groups, or kinds of pooled runs, have brought in a document alone.
    given : int
        How many groups, or kinds of runs, there are, pooled or not.
    """

    what: str
    kinds: int
    given: int = 0

    @property
    def enough(self) -> bool:
        """Whether ranges can be calibrated on them."""
        return self.kinds >= FEWEST_KINDS

    @property
    def is_modelled(self) -> bool:
        """Whether a relevance model has enough to learn from to be the estimate."""
        return self.enough or self.given >= _ENOUGH_GIVEN

    @property
    def too_few(self) -> str:
        """Why ranges are not calibrated: how many there are, and how many are needed."""
        found = (
            counted(self.kinds, "pooled group")
            if self.what == "group"
            else f"{counted(self.kinds, 'kind')} of pooled runs"
        )
        return f"{found}, {FEWEST_KINDS} are needed"


def units_text(units: int, what: str) -> str:
    """Return how many units, in words.

    Examples
    --------
    >>> units_text(36, "kind of run"), units_text(1, "group")
    ('36 kinds of runs', '1 group')
    """
    return f"{counted(units, 'kind')} of runs" if what == "kind of run" else counted(units, what)


def with_units(documents: PooledDocuments) -> tuple[PooledDocuments, Units]:
    """Say what is left out of the pool together, for calibration.

    Groups, if they were told. Else runs that are alike, if there are 19 kinds of them or more; of
    fewer kinds, each run alone. A unit has brought in a judged document alone.
    """
    if documents.pool.told:
        return documents, Units("group", _count(documents), len(documents.pool.groups))
    kinds = kinds_of_runs(documents.evidence, documents.pool.depth)
    # Without told groups each run is one, in the order of names.
    of_group = np.empty(len(documents.pool.groups), np.intp)
    of_group[documents.pool.group_of] = kinds
    alike = replace(documents, unit_of=of_group)
    found, given = _count(alike), len(np.unique(kinds))
    if found >= _ENOUGH_KINDS:
        return alike, Units("kind of run", found, given)
    return documents, Units("run", found, given)


def _count(documents: PooledDocuments) -> int:
    """Return how many units have brought in a judged document alone."""
    owners = documents.owning_unit[documents.judged]
    return len(np.unique(owners[owners >= 0]))


def kinds_of_runs(evidence: Evidence, depth: int) -> Indices:
    """Return the kind of each run: clusters by average linkage of the documents that they share.

    Examples
    --------
    >>> import poolwise as pw
    >>> lists = {"a": ["x", "y"], "b": ["y", "x"], "c": ["u", "v"]}
    >>> runs = pw.Runs.from_rankings({name: {"1": ids} for name, ids in lists.items()})
    >>> evidence = pw.align(pw.Judgments.from_dict({"1": {"x": 1}}), runs)
    >>> kinds_of_runs(evidence, 2).tolist()
    [0, 0, 1]
    """
    count = len(evidence.systems)
    if count < 2:
        return np.zeros(count, np.intp)
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415, late: slow to import

    # In the order of names, so that ties are broken alike whatever the order of the files.
    order = np.argsort(np.array(evidence.systems, object), kind="stable")
    alike = shared_documents(evidence, depth)[np.ix_(order, order)]
    apart = 1 - alike[np.triu_indices(count, 1)]
    found = fcluster(linkage(apart, "average"), 1 - _ALIKE + 1e-9, criterion="distance")
    kinds = np.empty(count, np.intp)
    kinds[order] = np.unique(found, return_inverse=True)[1]
    return kinds


def shared_documents(evidence: Evidence, depth: int) -> Floats:
    """Return the documents that two runs share in their first ranks, of those of the smaller.

    Examples
    --------
    >>> shared_documents(Evidence.from_grades([[1, 0], [0]]), 2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    shared = np.zeros((len(evidence.systems),) * 2, np.float32)
    for block in evidence.blocks:
        sizes = np.diff(block.document_starts).tolist()
        for topic, size in enumerate(sizes):
            documents = block.documents[:, topic, :depth]
            # The last column takes what is beyond the end of a list.
            holds = np.zeros((len(documents), size + 1), np.float32)
            holds[np.arange(len(documents))[:, None], documents] = 1
            holds = holds[:, :size]
            shared += holds @ holds.T
    held = np.diag(shared)
    return np.asarray(shared / np.maximum(np.minimum(held[:, None], held), 1), np.float64)
