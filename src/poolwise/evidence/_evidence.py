"""Grades with their documents, samples of these, and pairs of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Booleans, Floats, Indices, Integers
from poolwise.collection._identifiers import IdTable, indices_of, positions
from poolwise.collection._judgments import Judgments
from poolwise.errors import OptionError
from poolwise.evidence._grades import (
    BEYOND,
    UNJUDGED,
    Block,
    Grades,
    beside,
    codes_of_rows,
    count_by_grade_and_topic,
    numbered,
)
from poolwise.words import counted

__all__ = [
    "UNSAMPLED",
    "DocumentBlock",
    "Evidence",
    "Pairs",
    "SampledDocuments",
    "codes_of_documents",
    "graded_documents",
    "sample_of",
]

UNSAMPLED = -1
"""Stratum of a document that the sample could not have drawn."""


@dataclass(frozen=True, eq=False)
class SampledDocuments:
    """How the judged documents of a block were drawn.

    Judgments with strata hold every document of the universe: those of a stratum were drawn with
    equal chances, as many as are judged. Judgments with probabilities hold the drawn documents
    alone, and there is one stratum, whose size nobody knows.

    Attributes
    ----------
    strata : tuple of str
        Their names; none where judgments came with probabilities.
    stratum : int array, evidence documents
        The stratum of each document; ``UNSAMPLED`` where the sample could not have drawn it.
    probability : float array, evidence documents
        The probability with which each document was judged; 0 where it could not be.
    sizes : int array, topics × strata
        How many documents a stratum holds, judged or not.
    judged : int array, topics × strata × grades
        How many of them are judged, by grade.
    estimated : float array, topics × grades
        Σ 1/π over the judged documents of each grade: how many there are, estimated.
    spread : float array, topics × grades
        Σ (1 − π)/π² over the same documents.
    """

    strata: tuple[str, ...]
    stratum: NDArray[np.int16]
    probability: Floats
    sizes: Integers
    judged: Integers
    estimated: Floats
    spread: Floats

    @property
    def drawn(self) -> Integers:
        """How many documents of each stratum are judged, topics × strata."""
        return self.judged.sum(axis=2)

    def take(self, topics: slice) -> "SampledDocuments":
        """Return what is known of some topics."""
        return replace(
            self,
            sizes=self.sizes[topics],
            judged=self.judged[topics],
            estimated=self.estimated[topics],
            spread=self.spread[topics],
        )

    @classmethod
    def joined(cls, parts: list["SampledDocuments"]) -> "SampledDocuments":
        """Put the topics of several parts together."""
        return replace(
            parts[0],
            sizes=np.concatenate([part.sizes for part in parts]),
            judged=np.concatenate([part.judged for part in parts]),
            estimated=np.concatenate([part.estimated for part in parts]),
            spread=np.concatenate([part.spread for part in parts]),
        )


def sample_of(
    judgments: Judgments,
    codes: NDArray[np.integer],
    judgment_rows: NDArray[np.int32],
    topics: tuple[str, ...],
    grades: int,
) -> SampledDocuments | None:
    """Return how judgments were sampled; None where nothing is said of it.

    A probability counts where there are strata as well. ``codes`` has the grade code of each row of
    the judgments, ``judgment_rows`` the row of each document of the evidence, −1 where it has none.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"1": {"a": 1, "b": -1, "c": 0}})
    >>> qrels = qrels.with_sampling(stratum=["top", "rest", "rest"])
    >>> sample = sample_of(qrels, np.array([1, -1, 0]), np.array([0, 1, 2, -1]), ("1",), 2)
    >>> sample.strata, sample.probability.tolist(), sample.estimated.tolist()
    (('rest', 'top'), [1.0, 0.5, 0.5, 0.0], [[2.0, 1.0]])
    """
    if not judgments.is_sample:
        return None
    rows = _Rows(judgments, codes, grades)
    places = positions(topics, judgments.topics)
    chance = rows.chances()
    drawn = chance[rows.seen]
    return SampledDocuments(
        strata=rows.strata,
        # Row −1, no judgment, takes the last entry.
        stratum=np.append(np.where(rows.inside, rows.stratum, UNSAMPLED), UNSAMPLED).astype(
            np.int16
        )[judgment_rows],
        probability=np.append(np.where(rows.inside, chance, 0.0), 0.0)[judgment_rows],
        sizes=rows.sizes[places],
        judged=rows.judged[places],
        estimated=rows.totals(1 / drawn)[places],
        spread=rows.totals((1 - drawn) / drawn**2)[places],
    )


class _Rows:
    """The rows of sampled judgments, counted by topic, stratum and grade."""

    def __init__(self, judgments: Judgments, codes: NDArray[np.integer], grades: int) -> None:
        self.given, self.seen = judgments.probability, codes >= 0
        # What was taken away could not have been drawn.
        self.inside = codes != UNJUDGED
        self.strata, self.stratum = _strata(judgments)
        self._topic, self._codes, self._grades = judgments.topic_of_row, codes, grades
        self._topics = len(judgments.topics)

    @property
    def sizes(self) -> Integers:
        """How many rows each stratum has, topics × strata."""
        return self._counts(self.inside, np.zeros_like(self.stratum), 1)[:, :, 0]

    @property
    def judged(self) -> Integers:
        """How many of them have a grade, topics × strata × grades."""
        return self._counts(self.seen, self._codes, self._grades)

    def _counts(self, rows: Booleans, codes: NDArray[np.integer], grades: int) -> Integers:
        strata = max(1, len(self.strata))
        cell = (self._topic * strata + self.stratum)[rows] * grades + codes[rows]
        counts = np.bincount(cell, minlength=self._topics * strata * grades)
        return counts.reshape(self._topics, strata, grades)

    def chances(self) -> Floats:
        """Return the probability of each row: the one given, or the share of its stratum."""
        if self.given is not None:
            return self.given
        share = self.judged.sum(axis=2) / np.maximum(self.sizes, 1)
        return np.asarray(share[self._topic, self.stratum])

    def totals(self, values: Floats) -> Floats:
        """Sum a number of each judged row by topic and grade."""
        cell = (self._topic * self._grades)[self.seen] + self._codes[self.seen]
        totals = np.bincount(cell, values, minlength=self._topics * self._grades)
        return totals.reshape(self._topics, self._grades).astype(np.float64)


def _strata(judgments: Judgments) -> tuple[tuple[str, ...], Integers]:
    """Return the names of the strata, and the number of each row's; one where there are none."""
    if judgments.stratum is None or judgments.probability is not None:
        return (), np.zeros(len(judgments.codes), np.int64)
    names, numbers = np.unique(judgments.stratum.astype(str), return_inverse=True)
    return tuple(names.tolist()), numbers.astype(np.int64)


_TABLE = 1 << 14
"""Documents whose codes are looked up together, so that their table stays in the cache."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DocumentBlock(Block):
    """A block that knows its documents.

    Attributes
    ----------
    documents : int32 array, systems × topics × ranks
        Code of the document within its topic, −1 beyond the list. The same code in two systems
        is the same document; codes follow the byte order of ids.
    document_starts : int array, topics + 1
        Document ``c`` of topic ``t`` is row ``document_starts[t] + c`` of the evidence.
    sample : SampledDocuments, optional
        How the judged documents were drawn, where judgments are a sample.
    """

    documents: NDArray[np.int32]
    document_starts: Integers
    sample: SampledDocuments | None = None

    @cached_property
    def best_ranks(self) -> NDArray[np.unsignedinteger]:
        """How many documents without a grade have each rank as their best, topics × ranks."""
        counts = [self._best_ranks_of(t) for t in range(self.shape[1])]
        # A rank is the best of at most one document of each run.
        whole = np.array(counts, np.min_scalar_type(len(self.codes)))
        return whole.reshape(self.shape[1], self.depth)

    def _best_ranks_of(self, topic: int) -> Integers:
        ranks, systems = np.nonzero(self.ungraded[:, topic].T)
        best = np.full(np.diff(self.document_starts)[topic], self.depth)
        # Upwards through the ranks: the last one that a document is given is its best.
        best[self.documents[systems[::-1], topic, ranks[::-1]]] = ranks[::-1]
        return np.bincount(best, minlength=self.depth)[: self.depth]

    @cached_property
    def list_numbers(self) -> Integers:
        """Numbers that two lists of a topic share if they are the same, systems × topics."""
        numbers = np.zeros(self.shape, np.int64)
        width = self.depth * self.documents.itemsize
        for t in range(self.shape[1] if width else 0):
            # Equal lists have equal bytes; comparing every pair rank by rank would cost far more.
            seen: dict[bytes, int] = {}
            whole = self.documents[:, t].tobytes()
            lists = (whole[at : at + width] for at in range(0, len(whole), width))
            numbers[:, t] = [seen.setdefault(ranking, len(seen)) for ranking in lists]
        return numbers

    def rows(self, documents: NDArray[np.int32]) -> Integers:
        """Return the evidence's rows of document codes, … × topics × ranks; any row for −1."""
        return self.document_starts[:-1, None] + documents

    def _truncated(self, depth: int) -> Self:
        return replace(super()._truncated(depth), documents=self.documents[:, :, :depth])

    def condensed(self) -> Self:
        """Return the lists without the documents that have no grade, closed up."""
        order, dropped = self._closing_order()
        documents = np.take_along_axis(self.documents, order, axis=2)
        documents[dropped] = -1
        return replace(super().condensed(), documents=documents)

    def part(self, systems: Indices, topics: slice) -> Self:
        """Return some systems, perhaps several times, on some topics."""
        starts = self.document_starts
        last = min(topics.stop, self.shape[1])
        return replace(
            super().part(systems, topics),
            documents=self.documents[systems, topics],
            document_starts=starts[topics.start : last + 1],
            sample=None if self.sample is None else self.sample.take(topics),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self], depth: int) -> Self:
        """Put the topics of several blocks together, down to the depth of their longest list."""
        if len(parts) == 1 and parts[0].depth == depth:
            return parts[0]
        starts = [part.document_starts[:-1] for part in parts]
        samples = [part.sample for part in parts if part.sample is not None]
        return replace(
            super().joined(parts, depth),
            documents=beside([part.documents for part in parts], depth, -1, axis=1),
            document_starts=np.concatenate([*starts, parts[-1].document_starts[-1:]]),
            sample=SampledDocuments.joined(samples) if samples else None,
        )

    def regrade(
        self,
        of_document: NDArray[np.integer],
        pool: Integers,
        sample: SampledDocuments | None = None,
    ) -> Self:
        """Return the same lists with other codes of the evidence's documents."""
        codes = codes_of_documents(self.documents, self.document_starts, of_document)
        return replace(self, codes=codes, pool=pool, sample=sample)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Evidence(Grades):
    """Grades with their documents, for whatever must know which document is which.

    Attributes
    ----------
    blocks : tuple of DocumentBlock
        Consecutive topics, each block with all runs and their documents.
    document_ids : IdTable
        The id of each document row.
    judgment_rows : int32 array
        The row of the judgments that grades this document, −1 where there is none.

    Examples
    --------
    >>> evidence = Evidence.from_grades([[1, 0, None, 2]], judged=[0, 1, 2, 2])
    >>> evidence
    Evidence(1 system, 1 topic, lists of at most 4 documents, 1 block)
    >>> evidence.blocks[0].codes.tolist(), evidence.pool.tolist()
    ([[[1, 0, -2, 2]]], [[1, 1, 2]])
    """

    blocks: tuple[DocumentBlock, ...]
    document_ids: IdTable
    judgment_rows: NDArray[np.int32]

    @classmethod
    def _of_ranking_codes(cls, codes: NDArray[np.integer], scale: Floats, pool: Integers) -> Self:
        rows = np.arange(codes.size, dtype=np.int32).reshape(codes.shape)
        block = DocumentBlock(
            codes=codes,
            scale=scale,
            pool=pool,
            documents=np.where(codes == BEYOND, np.int32(-1), rows),
            document_starts=np.array([0, codes.size]),
        )
        return cls(
            systems=numbered(len(codes)),
            topics=("1",),
            blocks=(block,),
            document_ids=IdTable.from_strings(f"d{i}" for i in range(codes.size)),
            judgment_rows=np.full(codes.size, -1, np.int32),
        )

    @cached_property
    def memo(self) -> dict[object, Any]:
        """What was derived from the evidence and measures may share, by a key of its own."""
        return {}

    @cached_property
    def document_starts(self) -> Integers:
        """Document ``c`` of topic ``t`` is row ``document_starts[t] + c``; topics + 1."""
        starts = [block.document_starts[:-1] for block in self.blocks]
        return np.concatenate([*starts, self.blocks[-1].document_starts[-1:]])

    def regrade(self, judgments: Judgments) -> Self:
        """Return the same rankings under other judgments of the same rows.

        ``judgments`` must come from the ones this evidence was aligned with, by hiding some
        (:meth:`Judgments.keep`): only their codes are read, and how they were sampled.
        """
        of_row = codes_of_rows(judgments, self.blocks[0].codes.dtype)
        of_document = graded_documents(of_row, self.judgment_rows)
        grades = len(self.scale)
        pool = count_by_grade_and_topic(judgments, of_row, self.topics, grades)
        sample = sample_of(judgments, of_row, self.judgment_rows, self.topics, grades)
        return self.with_blocks(
            block.regrade(of_document, pool[topics], sample and sample.take(topics))
            for topics, block in zip(self.slices, self.blocks, strict=True)
        )

    def without_documents(self) -> Grades:
        """Return the grades alone.

        Examples
        --------
        >>> Evidence.from_grades([[1, None]]).without_documents()
        Grades(1 system, 1 topic, lists of at most 2 documents, 1 block)
        """
        return Grades(
            systems=self.systems,
            topics=self.topics,
            blocks=tuple(
                Block(codes=block.codes, scale=block.scale, pool=block.pool)
                for block in self.blocks
            ),
            provenance=self.provenance,
        )


def graded_documents(
    of_row: NDArray[np.integer], judgment_rows: NDArray[np.int32]
) -> NDArray[np.integer]:
    """Return the code of each document, from those of the judgment rows."""
    unjudged = np.array([UNJUDGED], of_row.dtype)
    # Row −1, no judgment, takes the last entry.
    return np.concatenate([of_row, unjudged])[judgment_rows]


def codes_of_documents(
    documents: NDArray[np.int32], starts: Integers, of_document: NDArray[np.integer]
) -> NDArray[np.integer]:
    """Return the grade codes of the lists of a block, from those of the evidence's documents."""
    codes = np.empty(documents.shape, of_document.dtype)
    beyond = np.array([BEYOND], codes.dtype)
    for first, past in _few_documents(starts):
        here = starts[first : past + 1]
        of_code = np.concatenate([of_document[here[0] : here[-1]], beyond])
        rows = documents[:, first:past]
        if past - first > 1:
            shifted = rows + (here[:-1, None] - here[0]).astype(np.int32)
            rows = np.where(rows < 0, -1, shifted) if rows.min(initial=0) < 0 else shifted
        # Document code −1, past the end of a list, takes the last entry.
        codes[:, first:past] = of_code.take(rows)
    return codes


def _few_documents(starts: Integers) -> Iterator[tuple[int, int]]:
    """Cut along the topics, so that a part has few documents; a large topic is a part."""
    edges = [0]
    for t, stop in enumerate(starts[1:].tolist()):
        if stop - starts[edges[-1]] > _TABLE and t > edges[-1]:
            edges.append(t)
    return pairwise([*edges, len(starts) - 1]) if len(starts) > 1 else iter(())


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems by position: a difference is left minus right.

    Attributes
    ----------
    left, right : int array
        Positions of the two systems of each pair.
    family : str
        Which pairs these are, in words.

    Examples
    --------
    >>> pairs = Pairs.of_all(("a", "b", "c"))
    >>> pairs.left.tolist(), pairs.right.tolist(), pairs.family
    ([0, 0, 1], [1, 2, 2], 'all pairs of 3 systems')
    >>> Pairs.against(("a", "b", "c"), ["b"]).left.tolist()
    [0, 2]
    >>> pairs.difference(np.array([[5.0], [3.0], [1.0]])).tolist()
    [[2.0], [4.0], [2.0]]
    """

    left: Indices
    right: Indices
    family: str = ""

    @classmethod
    def of_all(cls, systems: Sequence[str]) -> "Pairs":
        """Pair every system with every later one."""
        if len(systems) < 2:
            raise OptionError(
                f"systems: a comparison needs two systems; got {len(systems)}. Hint: add a system."
            )
        left, right = np.triu_indices(len(systems), 1)
        return cls(left, right, f"all pairs of {counted(len(systems), 'system')}")

    @classmethod
    def against(cls, systems: Sequence[str], baseline: str | Sequence[str]) -> "Pairs":
        """Pair every other system with the baseline, or each of several; it is on the right."""
        names = (baseline,) if isinstance(baseline, str) else tuple(baseline)
        at = indices_of(names, systems, what="baseline")
        others = np.setdiff1d(np.arange(len(systems)), at)
        if not len(others):
            raise OptionError(
                "baseline: a system other than the baselines is needed; "
                f"got {', '.join(names)} alone. Hint: add a system."
            )
        named = f"{counted(len(others), 'system')} against {', '.join(names)}"
        return cls(np.tile(others, len(at)), np.repeat(at, len(others)), named)

    @classmethod
    def of_two(cls, systems: Sequence[str], a: str, b: str) -> "Pairs":
        """Pair two systems by name."""
        at = indices_of([a, b], systems, what="systems")
        return cls(at[:1], at[1:], f"{a} against {b}")

    def __len__(self) -> int:
        return len(self.left)

    def __getitem__(self, which: slice) -> "Pairs":
        return Pairs(self.left[which], self.right[which], self.family)

    def difference(self, values: Floats) -> Floats:
        """Return left minus right for each pair, from values by system."""
        return values[self.left] - values[self.right]
