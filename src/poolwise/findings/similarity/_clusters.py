"""Which runs belong together: a tree of runs by the similarity of their rankings."""

from typing import Literal, Protocol

import numpy as np

from poolwise.arrays import Floats
from poolwise.errors import InputError, require_choice
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.results._columns import Columns
from poolwise.results._finding import Finding, finding
from poolwise.words import counted, named

__all__ = ["LINKAGES", "RunDistances", "RunTree", "cluster_runs"]

Linkage = Literal["average", "complete", "single"]

LINKAGES: dict[Linkage, str] = {
    "average": "mean distance between members",
    "complete": "largest distance between members",
    "single": "smallest distance between members",
}


class RunDistances(Protocol):
    """Runs and how far every two of them are from each other, as an overlap matrix has them."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the runs."""

    @property
    def provenance(self) -> Provenance:
        """Where the runs come from."""

    def distances(self) -> Floats:
        """Return the distances, systems × systems."""


@finding
class RunTree(Finding):
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
    linkage : str
        How far clusters are from each other: a key of ``LINKAGES``.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import overlap_matrix
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]},
    ...                            "c": {"1": ["x", "y"]}})
    >>> tree = cluster_runs(overlap_matrix(runs))
    >>> tree.groups(within=0.5), tree.families(within=0.5)
    ((('b',), ('c', 'a')), (('c', 'a'),))
    >>> print(tree)
    c and a are the closest runs, 0.000 apart (1 − rank-biased overlap).
    <BLANKLINE>
    step  left  right   distance  runs
       1  c     a         0.0000     2
       2  b     step 1    1.0000     3
    <BLANKLINE>
    3 runs are joined by average linkage (mean distance between members), the last ones at 1.000.
    With similar runs side by side, the order is b, c, a.
    """

    systems: tuple[str, ...]
    order: tuple[str, ...]
    merges: Floats
    linkage: Linkage

    def groups(self, *, within: float) -> tuple[tuple[str, ...], ...]:
        """Return the runs joined at no more than this distance, in dendrogram order."""
        # as in scipy's linkage: the cluster that step i makes has the number systems + i
        cluster_of = {i: [i] for i in range(len(self.systems))}
        for step, (a, b, distance, _) in enumerate(self.merges.tolist()):
            if distance <= within:
                joined = cluster_of.pop(int(a)) + cluster_of.pop(int(b))
                cluster_of[len(self.systems) + step] = joined
        place = {name: i for i, name in enumerate(self.order)}
        clusters = [
            sorted((self.systems[i] for i in members), key=place.__getitem__)
            for members in cluster_of.values()
        ]
        return tuple(tuple(c) for c in sorted(clusters, key=lambda c: place[c[0]]))

    def families(self, *, within: float) -> tuple[tuple[str, ...], ...]:
        """Return the groups of several runs joined at no more than this distance, largest first."""
        several = [group for group in self.groups(within=within) if len(group) > 1]
        return tuple(sorted(several, key=len, reverse=True))

    def segments(self) -> Columns:
        """Return the lines of a dendrogram: along one run, and at a distance across two.

        A row is the place of a run in ``order``, or halfway between the rows that were joined.

        Examples
        --------
        >>> from poolwise import Runs
        >>> from poolwise.findings import overlap_matrix
        >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]}})
        >>> lines = cluster_runs(overlap_matrix(runs)).segments()
        >>> list(zip(*lines.values()))
        [(0.0, 1.0, 0.0, 0.0), (0.0, 1.0, 1.0, 1.0), (1.0, 1.0, 0.0, 1.0)]
        """
        place = {name: i for i, name in enumerate(self.order)}
        at = {i: (float(place[name]), 0.0) for i, name in enumerate(self.systems)}
        lines: list[tuple[float, float, float, float]] = []
        for step, (a, b, distance, _) in enumerate(self.merges.tolist()):
            (row_a, from_a), (row_b, from_b) = at[int(a)], at[int(b)]
            lines += [(from_a, distance, row_a, row_a), (from_b, distance, row_b, row_b)]
            lines.append((distance, distance, row_a, row_b))
            at[len(self.systems) + step] = ((row_a + row_b) / 2, distance)
        names = ("distance", "distance_end", "row", "row_end")
        return {name: [line[i] for line in lines] for i, name in enumerate(names)}

    def columns(self) -> Columns:
        """Return one row per step: what it joins, at which distance, and how many runs that is.

        A cluster is named by the step that made it.
        """
        steps = range(1, len(self.merges) + 1)
        names = [*self.systems, *(f"step {step}" for step in steps)]
        left, right, distance, runs = self.merges.T
        return {
            "step": list(steps),
            "left": [names[i] for i in left.astype(int).tolist()],
            "right": [names[i] for i in right.astype(int).tolist()],
            "distance": distance.tolist(),
            "runs": runs.astype(int).tolist(),
        }

    def sentences(self) -> tuple[str, ...]:
        """Say which runs are closest, how all are joined, and in which order they stand."""
        runs = counted(len(self.systems), "run")
        if not len(self.merges):
            return (f"There is nothing to join, with {runs}.",)
        joined = self.columns()
        closest = f"{joined['left'][0]} and {joined['right'][0]} are the closest runs"
        linkage = f"{self.linkage} linkage ({LINKAGES[self.linkage]})"
        return (
            f"{closest}, {joined['distance'][0]:.3f} apart (1 − rank-biased overlap).",
            f"{runs} are joined by {linkage}, the last ones at {joined['distance'][-1]:.3f}.",
            f"With similar runs side by side, the order is {named(self.order, most=12)}.",
        )


@recorded
def cluster_runs(similarity: RunDistances, *, linkage: Linkage = "average") -> RunTree:
    """Join the runs into a tree by 1 − RBO_ext (W10 §7.3.5).

    Parameters
    ----------
    similarity : OverlapMatrix
        The overlap of every pair of runs.
    linkage : {"average", "complete", "single"}
        Which distance of the runs of two clusters is that of the clusters.

    Returns
    -------
    RunTree
        Which clusters are joined at which distance, and the runs in an order to draw them.

    Examples
    --------
    >>> from poolwise import Runs
    >>> from poolwise.findings import overlap_matrix
    >>> runs = Runs.from_rankings({"a": {"1": ["x", "y"]}, "b": {"1": ["v", "w"]},
    ...                            "c": {"1": ["y", "x"]}})
    >>> cluster_runs(overlap_matrix(runs)).order
    ('b', 'c', 'a')
    """
    require_choice("linkage", linkage, LINKAGES)
    distances = _checked(similarity)
    systems, origin = similarity.systems, similarity.provenance.with_options(linkage=linkage)
    merges, leaves = _joined(distances, linkage)
    order = tuple(systems[i] for i in leaves)
    return RunTree(systems, order, merges, linkage, provenance=origin)


def _joined(distances: Floats, linkage: Linkage) -> tuple[Floats, list[int]]:
    """Return the steps in which runs are joined, and the runs with similar ones side by side."""
    if len(distances) < 3:
        # There is nothing to choose: what is slow to import is not needed.
        steps = [[0.0, 1.0, distances[0, 1], 2.0]] if len(distances) == 2 else []
        return np.array(steps).reshape(-1, 4), list(range(len(distances)))
    from scipy.cluster import hierarchy  # noqa: PLC0415 -- late: scipy is slow to import
    from scipy.spatial.distance import squareform  # noqa: PLC0415 -- late, as above

    between = squareform(distances, checks=False)
    merges = hierarchy.linkage(between, method=linkage, optimal_ordering=True)
    return merges, hierarchy.leaves_list(merges).tolist()


def _checked(similarity: RunDistances) -> Floats:
    """Return the distances, which clustering needs for every pair."""
    distances = similarity.distances()
    for a, b in np.argwhere(np.isnan(distances)).tolist():
        raise InputError(
            ", ".join(dict.fromkeys((similarity.systems[a], similarity.systems[b]))),
            "runs to be clustered need a topic that both answer",
            remedy="leave one of them out",
        )
    return distances
