"""What is in files, and what is thin or odd there, before any score is believed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poolwise.collection._pools import nominate
from poolwise.collection._reading import Reading
from poolwise.collection.formats._document_files import Document, documents_of, read_hashes
from poolwise.collection.formats._texts import TextSource, read_queries, read_texts
from poolwise.errors import require_depth
from poolwise.evidence._audit import Audit, audit_collection
from poolwise.evidence._meeting import align
from poolwise.evidence._pool_shape import find_pool
from poolwise.findings._document_changes import DocumentChanges, document_changes
from poolwise.findings._documents_by_run import DocumentsByRun, documents_of_topic
from poolwise.findings._judgment_checks import Judged, JudgmentChecks, check_judgments
from poolwise.findings._label_origin import LabelOrigin, label_origin
from poolwise.findings._reuse import Reusability, reusability
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.workflows._inputs import (
    Topics,
    as_collection,
    as_groups,
    as_names,
    as_texts,
    as_topics,
    require_some,
)

_FIRST = 10
"""The ranks that a label is likely to come from."""

__all__ = [
    "audit",
    "audit_documents",
    "audit_judgments",
    "audit_origin",
    "document_hashes",
    "reuse",
    "show",
]


@recorded
def audit(judgments: Any, runs: Any, *, rel: float = 1, reading: Reading = Reading()) -> Audit:
    """Look for what is thin or odd in runs and judgments.

    Returns
    -------
    Audit
        Counts by run and by topic, and remarks on them, the gravest first.

    Examples
    --------
    >>> audit({"1": {"a": 1}}, {"bm25": {"1": {"a": 0.5, "x": 0.4}}}).judged_at_10.tolist()
    [0.5]
    """
    return audit_collection(*as_collection(judgments, runs, reading=reading), rel=rel)


@recorded
def audit_judgments(
    judgments: Any,
    runs: Any,
    *,
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    grades: Sequence[float] = (),
    rel: float = 1,
    reading: Reading = Reading(),
) -> JudgmentChecks:
    """Check judgments against themselves: what contradicts, what says nothing, what is gone.

    Parameters
    ----------
    grades
        The grades that a document can have; others are counted, and no error here.

    Returns
    -------
    JudgmentChecks
        What each rule of ``JUDGMENT_RULES`` found, with the worst of it and what to do.

    Examples
    --------
    >>> runs = {"bm25": {"1": {"a": 1.0}}}
    >>> checks = audit_judgments({"1": {"a": 1, "b": 0}, "2": {"a": 0}}, runs,
    ...                          queries={"1": "owls", "2": "Owls?"})
    >>> checks.found["one query under two topics"]
    ('1, 2 (1 graded differently)',)
    """
    qrels, retrieved = as_collection(judgments, runs, reading=reading)
    evidence = align(qrels, retrieved)
    topics, wanted = (dict.fromkeys(map(str, ids)) for ids in (qrels.topics, qrels.documents))
    asked = None if queries is None else read_queries(queries)
    said = None if documents is None else read_texts(documents, wanted)
    require_some("topics", queries, asked or {}, topics, done="judged")
    require_some("documents", documents, said or {}, wanted, done="judged")
    checks = check_judgments(
        Judged(
            qrels,
            nominate(qrels, retrieved),
            find_pool(evidence),
            rel,
            asked,
            said,
            grades,
        )
    )
    return replace(checks, provenance=evidence.provenance)


@recorded
def audit_origin(
    judgments: Any,
    runs: Any,
    measure: Measure | str = "nDCG@10",
    *,
    groups: Any = None,
    depth: int | None = None,
    topics: Topics = "judged",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: int = 1,
    reading: Reading = Reading(),
) -> LabelOrigin:
    """Say whether judgments were made with the help of one run, or group: a circular gold set.

    Of the documents that only one run has in its first ranks, an honest pool judges as many of one
    run as of another. Where that is far more of one run than of each other, it made the judgments.

    Parameters
    ----------
    depth
        How many first ranks are looked at; by default 10, or fewer where the lists end before, or
        the pool as far as its depth shows.

    Returns
    -------
    LabelOrigin
        By run what only it has, how much of it is judged, and what its score loses without it.

    Examples
    --------
    >>> from poolwise import pool, simulate
    >>> made = simulate(systems=4, topics=20, depth=20, rng=3)
    >>> helped = pool(made.truth, made.runs.select(["bm25-2"]), depth=10)
    >>> print(audit_origin(helped, made.runs).sentences()[1])
    Mean nDCG@10 of bm25-2 falls by 0.0221 when what only it has is left out; the median run falls
    by 0.0000.
    """
    qrels, retrieved = as_collection(judgments, runs, reading=reading)
    evidence = align(qrels, retrieved, topics=as_topics(topics))
    grouped = as_groups(groups, retrieved.systems)
    labels = evidence.systems if grouped is None else grouped.select(evidence.systems).labels
    names, units = np.unique(np.array(labels, object), return_inverse=True)
    shape = find_pool(evidence)
    looked = min(_FIRST, evidence.depth, *([shape.depth] if shape.is_sure else []))
    if depth is not None:
        require_depth(depth, longest=evidence.depth)
        looked = depth
    origin = label_origin(
        evidence, parse_measure(measure), units=units, names=tuple(names.tolist()), depth=looked,
        alpha=alpha, resamples=resamples, rng=rng,
    )  # fmt: skip
    return replace(origin, provenance=origin.provenance.with_options(depth=looked, alpha=alpha))


@recorded
def reuse(
    judgments: Any,
    runs: Any,
    *,
    groups: Any = None,
    kinds: Any = None,
    depth: int | None = None,
    pooled: Sequence[str] | None = None,
    reading: Reading = Reading(),
) -> Reusability:
    """Say for which new systems judgments can be used again, and to which depth.

    Parameters
    ----------
    kinds
        The kind of each run (automatic and manual, say): an object, a dict or a file, as groups
        are.
    depth
        The depth of the pool; by default it is read off the judgments.

    Returns
    -------
    Reusability
        By kind of run and cut-off: bias, judged share and orders of runs that are left out.

    Examples
    --------
    >>> from poolwise import pool, simulate
    >>> made = simulate(systems=8, topics=20, depth=30, rng=1)
    >>> reuse(pool(made.judgments, made.runs, depth=20), made.runs).what
    'kind of run'
    """
    qrels, read = as_collection(judgments, runs, reading=reading)
    return reusability(
        qrels,
        read,
        groups=as_groups(groups, read.systems),
        kinds=as_groups(kinds, read.systems, what="kind"),
        depth=depth,
        pooled=as_names(pooled),
    )


@recorded
def show(
    judgments: Any,
    runs: Any,
    topic: str,
    *,
    depth: int = 10,
    queries: TextSource | None = None,
    documents: TextSource | None = None,
    reading: Reading = Reading(),
) -> DocumentsByRun:
    """Find which documents runs rank first on a topic, where each run has them, and their grades.

    Parameters
    ----------
    topic : str
        A topic for which a run has results; it need not be judged.
    depth : int
        Take the documents that any run has in its first ranks, down to this one.

    Returns
    -------
    DocumentsByRun
        The documents with their grades and their ranks in every run, those first that are ranked
        early and often.

    Examples
    --------
    >>> runs = {"bm25": {"7": {"a": 0.5, "x": 0.4}}, "dense": {"7": {"x": 0.9, "b": 0.8}}}
    >>> show({"7": {"a": 2, "b": 0}}, runs, "7").documents
    ('x', 'a', 'b')
    """
    both = as_collection(judgments, runs, reading=reading)
    shown = documents_of_topic(*both, topic, depth=depth)
    texts = as_texts(queries, documents, topics=[topic], wanted=shown.documents)
    return replace(shown, texts=texts)


@recorded
def audit_documents(
    judgments: Any,
    documents: TextSource,
    *,
    hashes: Mapping[str, str] | str | Path | None = None,
    reading: Reading = Reading(),
) -> DocumentChanges:
    """Say of each judged document whether it still says what was judged: labels may be stale.

    Where a corpus was cut into other passages, or ids were given anew, judgments speak of texts
    that are elsewhere, or nowhere.

    Parameters
    ----------
    hashes
        The SHA-256 of what documents said when they were judged: a dict, a file that
        :func:`document_hashes` made, or the labels that a campaign exports. Without it nothing is
        known of texts, and only missing ids are found.

    Returns
    -------
    DocumentChanges
        Each judged document: same, moved (with its new id), changed or gone.

    Examples
    --------
    >>> now = {"a": "one text", "c": "another"}
    >>> then = {"a": Document("a", "one text").sha256, "b": Document("b", "another").sha256}
    >>> changes = audit_documents({"1": {"a": 1, "b": 1}}, now, hashes=then)
    >>> dict(zip(changes.documents, changes.state))
    {'a': 'same', 'b': 'moved'}
    """
    judged = reading.judgments(judgments)
    then = hashes if isinstance(hashes, Mapping) else read_hashes(hashes) if hashes else {}
    if hashes:
        names = dict.fromkeys(map(str, judged.documents))
        require_some("documents", hashes, then, names, done="judged")
    if isinstance(documents, Mapping):
        changes = document_changes(judged, (Document(*item) for item in documents.items()), then)
    else:
        changes = document_changes(judged, documents_of(str(documents)), then, where=str(documents))
    return replace(changes, provenance=Provenance(judgments=judged.source, notices=judged.notices))


@recorded
def document_hashes(found: DocumentChanges) -> bytes:
    r"""Return what judged documents say now, as hashes, for an audit at another time.

    Parameters
    ----------
    found : DocumentChanges
        What :func:`audit_documents` found.

    Returns
    -------
    bytes
        Lines of a document, a tab and its SHA-256.

    Examples
    --------
    >>> changes = audit_documents({"1": {"a": 1}}, {"a": "one text"})
    >>> document_hashes(changes)[:10]
    b'a\tb94ddd8e'
    """
    lines = (f"{name}\t{code}\n" for name, code in found.hashes.items())
    return "".join(lines).encode("utf-8", "surrogateescape")
