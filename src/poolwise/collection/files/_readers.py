"""Runs and judgments, read from files, dicts and frames."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poolwise.arrays import Floats, distinct
from poolwise.collection._judgments import Judgments
from poolwise.collection._runs import Runs
from poolwise.collection.files._inputs import (
    DUPLICATES,
    MALFORMED,
    NAME_RULES,
    Input,
    distinct_names,
    judgment_input,
    reading_options,
    run_inputs,
    scan,
)
from poolwise.collection.files._sources import MAX_RATIO, Report, notices_of
from poolwise.collection.formats._rows import BY_MACHINES
from poolwise.collection.formats._text_files import (
    SAMPLED_LAYOUTS,
    PeekedBytes,
    is_sampled,
    read_sampled,
)
from poolwise.errors import InputError, require_choice
from poolwise.provenance._provenance import Notice, add_notices
from poolwise.provenance._recorded import recorded

__all__ = ["NEGATIVE", "names_of", "read_judgments", "read_runs"]

NEGATIVE = {
    "keep": "a document that was pooled, or in the universe of a sample, and not judged",
    "0": "a document that is not relevant, as the Web track's spam is",
    "zero": "the same",
}
"""What a negative grade may mean."""


@recorded
def read_runs(
    *sources: str | Path | Mapping[str, Any] | Any,
    ties: str = "trec_eval",
    duplicates: str = "error",
    malformed: str = "error",
    names: str = "auto",
    layout: str = "auto",
    workers: int | None = None,
    max_ratio: float = MAX_RATIO,
) -> Runs:
    r"""Read runs and break their ties.

    Parameters
    ----------
    sources
        Paths, globs, folders, or ``-`` for the standard input: TREC runs of at least six fields
        (topic, ``Q0``, document, rank, score, tag), or runs of three columns (topic, document, and
        a rank or a score), plain or compressed (gz, xz, bz2, zst). A header such as ``query-id
        corpus-id score`` says what the third column is; without one it holds scores if a value is
        no whole number, ranks if its whole numbers rise down every list or count the documents of
        each, and scores if they fall; a notice says which. Or dicts
        ``{system: {topic: {document: score}}}`` or ``{topic: {document: score}}``, with lists of
        documents, best first, in the place of scores, and with any of the other kinds in the place
        of a system's topics; or pandas, polars or Arrow frames, lazy ones too, or Parquet, CSV and
        JSONL files, with columns such as ``run``, ``qid``, ``docno``, ``score``, ``rank``; or lists
        of tuples (topic, document, score), named tuples or dicts, such as the records of
        ir_measures; or a JSON file of such dicts or records; or ranx's Run, Hugging Face's
        datasets, and datasets of ir_datasets (``irds:`` and an id).
    ties : {"trec_eval", "trec_eval9", "rank", "docid"}
        How documents of equal score are ordered: see ``TIE_RULES``.
    duplicates : {"error", "first", "last", "best"}
        What to do with a document that a topic's list holds twice.
    malformed : {"error", "skip"}
        What to do with a line that cannot be read.
    names : {"auto", "tag", "file"}
        What a system is called: the run tag of its last line where no other run has it and its
        file's name where one has ("auto"), or always the one or the other.
    layout : {"auto", "trec", "columns", "tabs"}
        The layout of files; told from the first line unless it is given.
    workers
        How many files to read at the same time; as many as there are cores by default. The result
        does not depend on it.
    max_ratio
        How many times its size a compressed file may unfold to.

    Returns
    -------
    Runs
        The rankings of all systems by topic, their ties broken, with the files they came from and
        notices of whatever a policy let pass.

    Examples
    --------
    >>> runs = read_runs({"bm25": {"1": {"a": 0.5, "b": 0.5, "c": 0.7}}})
    >>> runs.ranking("bm25", "1")
    ['c', 'b', 'a']
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".run") as file:
    ...     _ = file.write("1 Q0 a 1 0.5 bm25\n1 Q0 b 2 0.5 bm25\n")
    ...     file.flush()
    ...     runs = read_runs(file.name, ties="rank")
    >>> runs.ranking("bm25", "1")
    ['a', 'b']
    """
    require_choice("names", names, NAME_RULES)
    inputs = run_inputs(sources, layout, max_ratio=max_ratio)
    options = [reading_options(i, duplicates, malformed, ties=ties) for i in inputs]
    scanned, reports = scan(inputs, options, workers)
    return Runs(
        systems=names_of(inputs, reports, names),
        topics=scanned.topics,
        topic_starts=scanned.document_starts,
        documents=scanned.documents,
        rankings=scanned.rankings,
        list_starts=scanned.list_starts,
        tied=scanned.tied,
        tie_rule=ties,
        sources=tuple(i.source for i in inputs),
        notices=notices_of([i.path for i in inputs], reports, duplicates)
        + add_notices(notice for i in inputs for notice in i.notices),
    )


@recorded
def read_judgments(
    source: str | Path | Mapping[str, Any] | Any,
    *,
    duplicates: str = "error",
    malformed: str = "error",
    negative: str = "keep",
    grades: Sequence[float] = (),
    layout: str = "auto",
    trust: bool = False,
    max_ratio: float = MAX_RATIO,
) -> Judgments:
    r"""Read relevance judgments.

    Parameters
    ----------
    source
        A path, or ``-`` for the standard input: TREC qrels (topic, any, document, grade), or three
        columns (topic, document, grade) with or without the header ``query-id corpus-id score``,
        plain or compressed (gz, xz, bz2, zst). Of judgments that are a sample, NIST's five columns
        (topic, any, document, stratum, grade, which is negative where the document was not
        sampled) or prels (topic, document, grade, method, probability). Or a dict ``{topic:
        {document: grade}}``, or one with a list or a set of the relevant documents alone; or a
        pandas, polars or Arrow frame, a lazy one too, or a Parquet, CSV or JSONL file, with columns
        such as ``qid``, ``docno``, ``label``; or a list of tuples (topic, document, grade), named
        tuples or dicts, such as the records of ir_measures; a JSON file of such a dict or list; or
        ranx's Qrels, a Hugging Face dataset, or a dataset of ir_datasets (``irds:`` and an id).
    duplicates : {"error", "first", "last", "best"}
        What to do with a document that a topic holds twice; the best is the highest grade.
    malformed : {"error", "skip"}
        What to do with a line that cannot be read.
    negative : {"keep", "zero"}
        A negative grade marks a document that was pooled and not judged, as in ``trec_eval``, or
        that a sample did not draw ("keep"), or is taken as 0 ("zero", or "0").
    grades
        The grades that a document can have, such as ``(0, 1, 2, 3)``, whether the file holds them
        or not; another grade is an error. By default 0 and the positive grades of the file.
    layout : {"auto", "trec", "columns", "tabs", "strata", "prels"}
        The layout of a file; told from its columns unless it is given.
    trust
        Take grades that a machine gave, by a column ``model``, as judgments; what is made of them
        says so. Without it they are an error: see :func:`~poolwise.read_labels`.
    max_ratio
        How many times its size a compressed file may unfold to.

    Returns
    -------
    Judgments
        The grades by topic and document, with their source and notices of whatever was let pass.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w") as file:
    ...     _ = file.write("query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t-1\n")
    ...     file.flush()
    ...     qrels = read_judgments(file.name, negative="zero")
    >>> list(qrels)
    [('1', 'a', 2.0), ('1', 'b', 0.0)]
    >>> print(*qrels.notices)
    negative grades taken as 0: 1
    """
    require_choice("negative", negative, NEGATIVE)
    made = judgment_input(source, layout, max_ratio=max_ratio)
    _refuse_machines(made, trust=trust)
    judgments = _raised(_judgments_of(made, duplicates, malformed), negative)
    return judgments.with_grades(grades) if grades else judgments


def _refuse_machines(made: Input, *, trust: bool) -> None:
    """Raise where a machine gave the grades, and nobody said that they are to be trusted."""
    by_machines = [notice for notice in made.notices if notice.what.startswith(BY_MACHINES)]
    if by_machines and not trust:
        raise InputError(
            made.path,
            "labels by machines are predictions, and no judgments",
            value=by_machines[0].what.partition("(")[2].partition(")")[0],
            remedy="use them as labels (poolwise agree, or estimate --labels), or say --trust "
            "(trust=True in Python), which every result will show",
        )


def _judgments_of(made: Input, duplicates: str, malformed: str) -> Judgments:
    """Read judgments as they stand: a sample by its columns, anything else by the scanner."""
    if isinstance(made, PeekedBytes) and _may_be_sampled(made):
        require_choice("duplicates", duplicates, DUPLICATES)
        require_choice("malformed", malformed, MALFORMED)
        return read_sampled(made, duplicates=duplicates, malformed=malformed, layout=made.layout)
    options = reading_options(made, duplicates, malformed, judgments=1)
    scanned, reports = scan([made], [options], None)
    scale = distinct(scanned.values)
    return Judgments(
        topics=scanned.topics,
        starts=scanned.document_starts,
        documents=scanned.documents,
        codes=_codes(scanned.values, scale, made.path),
        scale=scale,
        source=made.source,
        notices=notices_of([made.path], reports, duplicates) + made.notices,
    )


def _may_be_sampled(made: PeekedBytes) -> bool:
    if made.layout == "auto":
        return is_sampled(made.first_line())
    return made.layout in SAMPLED_LAYOUTS


def names_of(inputs: Sequence[Input], reports: Sequence[Report], rule: str) -> tuple[str, ...]:
    """Name the systems; those of dicts and frames keep the names they have there."""
    tags = [i.system or report.tag for i, report in zip(inputs, reports, strict=True)]
    paths = [i.path for i in inputs]
    held = Counter(paths)
    files = [i.path if i.source.stamp and held[i.path] == 1 else i.system or i.path for i in inputs]
    return distinct_names(tags, files, rule, inputs=paths)


def _raised(judgments: Judgments, negative: str) -> Judgments:
    """Take negative grades as 0 where that is asked for, counted."""
    below = int((judgments.scale[judgments.codes] < 0).sum())
    if negative == "keep" or not below:
        return judgments
    scale, of_code = np.unique(np.maximum(judgments.scale, 0), return_inverse=True)
    return replace(
        judgments,
        scale=scale,
        codes=of_code.astype(np.int16)[judgments.codes],
        notices=(*judgments.notices, Notice("negative grades taken as 0", below)),
    )


def _codes(values: Floats, scale: Floats, path: str) -> NDArray[np.int16]:
    most = np.iinfo(np.int16).max
    if len(scale) > most:
        rule = f"judgments may have {most} different grades"
        raise InputError(path, rule, value=len(scale), remedy="round the grades")
    return np.searchsorted(scale, values).astype(np.int16)
