"""Lists whose judged documents are a sample: which stratum, and which chance, each cell has."""

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats
from poolwise.errors import MeasureError
from poolwise.evidence.evidence import DocumentBlock
from poolwise.evidence.grade_codes import BEYOND
from poolwise.evidence.grades import Block
from poolwise.evidence.sampled_documents import OUTSIDE, SampledDocuments

__all__ = ["SampledLists"]


class SampledLists:
    """A block of lists, and how the documents in them were sampled.

    Parameters
    ----------
    block : Block
        Whose judgments are a sample, or an error says that they must be.
    measure : str
        For whom.
    needs_strata : bool
        Whether probabilities alone are not enough, since they do not say what was not drawn.
    """

    def __init__(self, block: Block, measure: str, *, needs_strata: bool = False) -> None:
        if not isinstance(block, DocumentBlock) or block.sample is None:
            raise _refusal(measure, "judgments that say how they were sampled", "these do not")
        if needs_strata and not block.sample.strata:
            what = "judgments that list the documents of each stratum, sampled or not"
            raise _refusal(measure, what, "these have probabilities alone")
        self.block: DocumentBlock = block
        self.sample: SampledDocuments = block.sample
        # Where a list has ended, any row will do: no cell is read there.
        self._rows = block.rows(block.documents)
        self._beyond = block.codes == BEYOND

    @property
    def stratum(self) -> NDArray[np.int16]:
        """The stratum of each document, systems × topics × ranks."""
        return np.where(self._beyond, np.int16(OUTSIDE), self.sample.stratum[self._rows])

    @property
    def probability(self) -> Floats:
        """The probability with which each document was judged; 0 where it could not be."""
        return np.where(self._beyond, 0.0, self.sample.probability[self._rows])

    @property
    def weights(self) -> Floats:
        """1/π of each judged document, 0 of any other."""
        judged = self.block.codes >= 0
        return np.divide(1.0, self.probability, out=np.zeros(judged.shape), where=judged)

    @property
    def never_drawn(self) -> Booleans:
        """Which documents have no grade and could not have got one: those stay unknown."""
        return self.block.ungraded & (self.probability == 0)


def _refusal(measure: str, needed: str, got: str) -> MeasureError:
    return MeasureError(
        f"{measure}: it needs {needed}; {got}. Hint: read qrels of five columns (topic, 0, "
        "document, stratum, grade; `poolwise sample` writes them), or use a measure such as "
        "nDCG@10, whose range says what the unjudged documents leave open."
    )
