"""How the same systems compare between two sets of topics, as columns."""

from collections.abc import Mapping, Sequence

import numpy as np

from poolwise.printout.columns import Columns
from poolwise.studies.topics.comparability import Repartitions

__all__ = ["comparability_columns"]


def comparability_columns(
    found: Sequence[Repartitions], missed: Mapping[str, float] | None = None
) -> Columns:
    """Return one row per measure: how the same systems compare between two sets of topics.

    Parameters
    ----------
    found
        Of each measure.
    missed
        The rate of false negatives by measure, where known.
    """
    return {
        "measure": [str(one.measure) for one in found],
        "systems": [one.systems for one in found],
        "first_topics": [one.topics[0] for one in found],
        "second_topics": [one.topics[1] for one in found],
        "kappa": [one.observed for one in found],
        "p": [one.pvalue for one in found],
        "random_kappa": [float(one.kappas.mean()) for one in found],
        "false_positives": [float(one.false_positives.mean()) for one in found],
        "false_positives_median": [float(np.median(one.false_positives)) for one in found],
        "false_negatives": [(missed or {}).get(str(one.measure), float("nan")) for one in found],
    }
