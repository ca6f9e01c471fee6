"""What is in files, and what is thin or odd there, before any score is believed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from poolwise.collection._reading import Reading
from poolwise.collection.formats._document_files import Document, documents_of, read_hashes
from poolwise.collection.formats._texts import TextSource
from poolwise.evidence._audit import Audit, audit_collection
from poolwise.findings._document_changes import DocumentChanges, document_changes
from poolwise.findings._documents_by_run import DocumentsByRun, documents_of_topic
from poolwise.findings._reuse import Reusability, reusability
from poolwise.provenance._provenance import Provenance
from poolwise.provenance._recorded import recorded
from poolwise.workflows._inputs import as_collection, as_groups, as_names, as_texts

__all__ = ["audit", "audit_documents", "document_hashes", "reuse", "show"]


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
    found = documents_of_topic(*both, topic, depth=depth)
    texts = as_texts(queries, documents, topics=[topic], wanted=found.documents)
    return replace(found, texts=texts)


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
    >>> found = audit_documents({"1": {"a": 1, "b": 1}}, now, hashes=then)
    >>> dict(zip(found.documents, found.state))
    {'a': 'same', 'b': 'moved'}
    """
    judged = reading.judgments(judgments)
    then = hashes if isinstance(hashes, Mapping) else read_hashes(hashes) if hashes else {}
    if isinstance(documents, Mapping):
        found = document_changes(judged, (Document(*one) for one in documents.items()), then)
    else:
        found = document_changes(judged, documents_of(str(documents)), then)
    return replace(found, provenance=Provenance(judgments=judged.source, notices=judged.notices))


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
    >>> found = audit_documents({"1": {"a": 1}}, {"a": "one text"})
    >>> document_hashes(found)[:10]
    b'a\tb94ddd8e'
    """
    lines = (f"{name}\t{code}\n" for name, code in found.hashes.items())
    return "".join(lines).encode("utf-8", "surrogateescape")
