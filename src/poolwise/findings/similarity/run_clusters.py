"""Which runs belong together: a tree of runs by the similarity of their rankings."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import InputError, require_choice
from poolwise.findings.similarity.run_similarity import OverlapMatrix

__all__ = ["LINKAGES", "RunTree", "cluster_runs"]

Linkage = Literal["average", "complete", "single"]

LINKAGES: dict[Linkage, str] = {
    "average": "mean distance between members",
    "complete": "largest distance between members",
    "single": "smallest distance between members",
}


@dataclass(frozen=True, eq=False)
class RunTree:
    """Runs joined step by step, the closest first.

    Attributes
    ----------
    systems : tuple of str
        The runs, in the order of the similarity matrix.
    order : tuple of str
        The runs as a dendrogram lists them, similar ones side by side.
    merges : float array, (systems − 1) × 4
        The two clusters that each step joins, their distance, and the size of the new one, as in
        :func:`scipy.cluster.hierarchy.linkage`.
    """

    systems: tuple[str, ...]
    order: tuple[str, ...]
    merges: Floats
    linkage: str

    def groups(self, *, within: float) -> tuple[tuple[str, ...], ...]:
        """Return the runs joined at no more than this distance, in dendrogram order.

        Examples
        --------
        >>> from poolwise import Runs, overlap_matrix
        >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]},
        ...                            "c": {"1": ["x", "y"]}})
        >>> cluster_runs(overlap_matrix(runs)).groups(within=0.5)
        (('b',), ('c', 'a'))
        """
        cluster_of = {i: [i] for i in range(len(self.systems))}
        for step, (a, b, distance, _) in enumerate(self.merges.tolist()):
            if distance <= within:
                joined = cluster_of.pop(int(a)) + cluster_of.pop(int(b))
                cluster_of[len(self.systems) + step] = joined
        place = {name: i for i, name in enumerate(self.order)}
        named = [
            sorted((self.systems[i] for i in members), key=place.__getitem__)
            for members in cluster_of.values()
        ]
        return tuple(tuple(c) for c in sorted(named, key=lambda c: place[c[0]]))


def cluster_runs(similarity: OverlapMatrix, *, linkage: Linkage = "average") -> RunTree:
    """Join the runs into a tree by 1 − RBO_ext (W10 §7.3.5).

    Examples
    --------
    >>> from poolwise import Runs, overlap_matrix
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]},
    ...                            "c": {"1": ["y", "x"]}})
    >>> cluster_runs(overlap_matrix(runs)).order
    ('b', 'c', 'a')
    """
    # late: scipy is slow to import
    from scipy.cluster import hierarchy  # noqa: PLC0415
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    require_choice("linkage", linkage, LINKAGES)
    between = squareform(_checked(similarity), checks=False)
    if not len(between):
        return RunTree(similarity.systems, similarity.systems, np.empty((0, 4)), linkage)
    merges = hierarchy.linkage(between, method=linkage, optimal_ordering=True)
    order = tuple(similarity.systems[i] for i in hierarchy.leaves_list(merges))
    return RunTree(similarity.systems, order, merges, linkage)


def _checked(similarity: OverlapMatrix) -> Floats:
    """Return the distances, which clustering needs for every pair."""
    distances = similarity.distances()
    for a, b in np.argwhere(np.isnan(distances)).tolist():
        raise InputError(
            ", ".join(dict.fromkeys((similarity.systems[a], similarity.systems[b]))),
            "runs to be clustered need a topic that both answer",
            remedy="leave one of them out",
        )
    return distances
