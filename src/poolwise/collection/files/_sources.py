"""Files as bytes, wherever they lie, and what is wrong in their lines."""

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import IntEnum
from glob import glob, has_magic
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from poolwise.errors import InputError, MissingExtraError, OptionError, remedy_of, shortened
from poolwise.provenance._provenance import SIDECAR, Notice, Source

if TYPE_CHECKING:
    from concurrent.futures import Executor  # slow to import

__all__ = [
    "MAX_RATIO",
    "Code",
    "FileBytes",
    "FilePart",
    "Problem",
    "Report",
    "csv_rows",
    "error_of",
    "fields_of",
    "files_beside",
    "filesystem_of",
    "find_addresses",
    "find_files",
    "is_address",
    "is_stored",
    "judgment_files",
    "lines_of",
    "named_rows",
    "notices_of",
    "open_address",
    "read_ahead",
    "read_text",
    "refuse_if_elsewhere",
    "require_distinct_columns",
    "require_path",
    "without_addresses",
]


class FilePart(NamedTuple):
    """The bytes of a plain file from one place up to another."""

    path: str
    start: int
    stop: int


class Code(IntEnum):
    """What can be wrong, as ``native/options.hpp`` numbers it."""

    TOO_FEW_FIELDS = 1
    TOO_MANY_FIELDS = 2
    NOT_A_NUMBER = 3
    NOT_FINITE = 4
    NOT_A_RANK = 5
    EMPTY_ID = 6
    DUPLICATE = 7
    BINARY = 8
    EMPTY = 9
    LINE_TOO_LONG = 10
    STRAY_RETURN = 12
    UNKNOWN_HEADER = 15
    RANK_NOT_WHOLE = 16
    RANKS_OR_SCORES = 17
    STRAY_MARK = 18


class Problem(NamedTuple):
    """What stopped the reading of an input: a code of ``native/options.hpp``, and where.

    ``other`` is the first line of a duplicate, or the number of fields expected.
    """

    code: int
    line: int
    other: int
    text: str


class Report(NamedTuple):
    """What was met in one input.

    ``longer`` counts the lines with more fields than are read, ``renamed`` those whose tag is not
    that of the line before.

    ``guessed`` says what the third column of a run without a header was taken for: a number of
    ``native/score_or_rank.hpp``, 0 for any other input.
    """

    problem: Problem | None
    tag: str
    skipped: int
    first_skipped: int
    repeated: int
    first_repeated: int
    guessed: int
    longer: int = 0
    first_longer: int = 0
    renamed: int = 0
    first_renamed: int = 0


_LONGEST = 72
_SKIP = "correct the line, or skip such lines, counted (malformed='skip', --lenient)"
_RULES = {
    Code.TOO_FEW_FIELDS: ("a line must have at least {other} fields", _SKIP),
    Code.TOO_MANY_FIELDS: ("a line must have at most {other} fields", _SKIP),
    Code.NOT_A_NUMBER: ("a score or grade must be a number", _SKIP),
    Code.NOT_FINITE: ("a score or grade must be finite", _SKIP),
    Code.NOT_A_RANK: ("a rank must be a whole number when ties are broken by rank", _SKIP),
    Code.EMPTY_ID: ("a topic or document id must not be empty", _SKIP),
    Code.DUPLICATE: (
        "a document may occur once in a topic, and this one is on line {other} too",
        "remove one of them, or keep one, counted (duplicates='first', --duplicates first)",
    ),
    Code.BINARY: (
        "the file must be text, and holds a NUL byte: it is binary, or UTF-16",
        "name a text file, or convert it to UTF-8",
    ),
    Code.EMPTY: ("there must be at least one entry, and there is none", "check what is in it"),
    Code.LINE_TOO_LONG: ("a line may hold 16 MiB at most", "check that this is a text file"),
    Code.STRAY_RETURN: (
        "a line must end in LF or CRLF, and CR alone stands in this one",
        "convert the line ends",
    ),
    Code.STRAY_MARK: (
        "a byte order mark may stand once, at the beginning of a file: files were joined here",
        "remove it, or name the files one by one",
    ),
    Code.UNKNOWN_HEADER: (
        "a header of three columns must name the topic, the document, and what the third column is",
        "write 'query-id corpus-id score' for scores and grades, or 'query-id corpus-id rank'",
    ),
    Code.RANK_NOT_WHOLE: (
        "a rank must be a whole number, and the header says that this is a rank",
        _SKIP,
    ),
    Code.RANKS_OR_SCORES: (
        "without a header, whole numbers that neither rise nor fall could be ranks or scores",
        "begin the file with the line 'query-id corpus-id score' or 'query-id corpus-id rank'",
    ),
}
"""The rule that each code says was broken, and the remedy."""
# By code, the number of fields that there must be, and the number that there are.
_LOOKS: dict[tuple[int, int, int], str] = {
    (Code.TOO_MANY_FIELDS, 4, 6): "a run",
    (Code.TOO_FEW_FIELDS, 6, 4): "judgments",
}
_ORDER = "name the judgments first and the runs after them"
_ONE_LINE = f"{_SKIP}; or, if all lines are like this one, {_ORDER}"
# By number of native/score_or_rank.hpp.
_GUESSED = {1: "ranks", 2: "scores"}


def error_of(problem: Problem, path: str) -> InputError:
    """Return the error for a problem met in this input."""
    rule, remedy = _RULES[Code(problem.code)]
    where = f"{path}:{problem.line}" if problem.line else path
    rule = rule.format(other=problem.other)
    if looks := _look(problem):
        rule = f"{rule}, and this looks like {looks}"
        remedy = _ORDER if problem.line == 1 else _ONE_LINE
    return InputError(where, rule, value=shortened(problem.text, _LONGEST) or None, remedy=remedy)


def _look(problem: Problem) -> str:
    """Say what a line is that has the fields of the other kind of file; empty where it has not."""
    return _LOOKS.get((problem.code, problem.other, len(problem.text.split())), "")


def notices_of(
    paths: Sequence[str], reports: Sequence[Report], duplicates: str
) -> tuple[Notice, ...]:
    """Count over all inputs what the policies let pass."""
    counts = (
        _notice(
            f"duplicate documents, {duplicates} kept",
            paths,
            [(r.repeated, r.first_repeated) for r in reports],
        ),
        _notice("malformed lines left out", paths, [(r.skipped, r.first_skipped) for r in reports]),
        _notice(
            "lines of more than six fields, the first six read (an id must not hold a blank)",
            paths,
            [(r.longer, r.first_longer) for r in reports],
        ),
        _notice(
            "lines with another tag than the line before, the last tag of the file kept",
            paths,
            [(r.renamed, r.first_renamed) for r in reports],
        ),
        *(
            _notice(
                f"runs of three columns without a header, the third read as {what}",
                paths,
                [(int(r.guessed == kind), 1) for r in reports],
            )
            for kind, what in _GUESSED.items()
        ),
    )
    return tuple(notice for notice in counts if notice.count)


def _notice(what: str, paths: Sequence[str], counts: Sequence[tuple[int, int]]) -> Notice:
    total = sum(count for count, _ in counts)
    met = (f"{p}:{line}" for p, (count, line) in zip(paths, counts, strict=True) if count)
    return Notice(what, total, next(met, ""))


MAX_RATIO = 1000
"""How many times its size a compressed file may unfold to: runs and qrels stay below 100."""
_BLOCK = 1 << 18
# Patterns are texts: re compiles those that are used, and most commands use none of them.
_BESIDE = r"""(?xi)
    (readme|licen[cs]e|copying|notice|changelog|citation|makefile|dockerfile|requirements)(\..*)?
    | .* \. (md|rst|pdf|html?|ya?ml|toml|ini|cfg|conf|py|ipynb|sh|r|log|bib|tex|png|jpe?g|svg)
    | .* (~|\.(md5|sha1|sha256|sha512|asc|sig|bak|tmp|swp))
    | (.*[._-])? (config|configuration|settings|metadata|params|args|dataset_info) \. json"""
"""Names of what lies beside runs and is none: descriptions, configurations, programs, pictures."""
_BZ2_BLOCKS = (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90")
"""How the first block of bz2 begins, and how the end does of what has no block."""
_MARKERS = ("_SUCCESS", "_metadata", "_common_metadata")
"""What engines write beside the parts of a table."""
_SMALL = 1 << 20
"""What unfolds to no more than this is harmless, whatever its size was."""


def refuse_unfolding(path: str, unfolded: int, size: int, max_ratio: float) -> None:
    """Refuse what may fill the memory, given how much there is of it when compressed."""
    if unfolded > max(_SMALL, max_ratio * size):
        raise InputError(
            path,
            f"a compressed file may unfold to {max_ratio:,g} times its size",
            value=f"more than {unfolded:,} bytes from {size:,}",
            remedy="check what it holds, or allow more with max_ratio (--max-ratio)",
        )


def find_files(source: str | Path) -> list[str]:
    """Return the files that a path, a glob or a folder stands for, sorted; ``-`` is itself.

    An address, such as ``s3://bucket/runs``, stands for files elsewhere in the same way.

    In a folder every file counts that is not hidden, not the provenance of another file, and not
    by its name a description, a configuration or a program: see :func:`files_beside`.

    Examples
    --------
    >>> find_files("-")
    ['-']
    >>> find_files("runs/*.nowhere")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: runs/*.nowhere: a glob must match a file; got 'no match'.
    Hint: check the pattern and the folder you are in.
    """
    text = str(source)
    require_path(text)
    if is_address(text):
        return [address for address in find_addresses(text) if _is_wanted(address, text)]
    if text == "-" or is_stored(text):
        return [text]
    path = Path(text)
    if path.is_fifo() or path.is_char_device():
        return [text]
    if path.is_dir():
        return _in_folder(path)
    if has_magic(text):
        return _matching(text)
    raise InputError(
        text,
        "the file must exist",
        remedy="check the path, and quote a glob that the shell should not expand",
    )


_BEIR = ("corpus.jsonl", "corpus.jsonl.gz", "queries.jsonl", "queries.jsonl.gz")
"""What lies beside the folder of judgments in a collection of BEIR, unless nothing does."""
_SPLIT = "test"
"""The part of a collection that systems are compared on."""


def judgment_files(source: str | Path) -> list[str]:
    """Return the files that a path stands for; of a BEIR collection, its judgments for the test."""
    qrels = Path(source, "qrels")
    if not (qrels.is_dir() and _holds_collection(Path(source))):
        return find_files(source)
    files = find_files(qrels)
    chosen = [path for path in files if Path(path).name.split(".")[0] == _SPLIT]
    if len(chosen) == 1 or len(files) == 1:
        return chosen or files
    raise InputError(
        str(source),
        f"a collection must have one file of judgments, or one for the split {_SPLIT}",
        value=", ".join(Path(path).name for path in files),
        remedy=f"name one of them, such as {files[0]}",
    )


def _holds_collection(folder: Path) -> bool:
    """Say whether a folder with judgments has a corpus or queries beside them, or no files."""
    beside = [path.name for path in folder.iterdir() if path.is_file() and _is_data(path.name)]
    return not beside or any(name in _BEIR for name in beside)


def require_path(path: str) -> None:
    r"""Raise where a path is none that the system could open.

    Parameters
    ----------
    path : str
        The path, as it was written.

    Examples
    --------
    >>> require_path("")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: '': a path must not be empty. Hint: name a file; a variable of the
    shell may not be set.
    >>> require_path("a\0b")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: 'a\x00b': a path must not hold NUL, or half a pair of surrogates.
    Hint: check the path.
    """
    if not path:
        remedy = "name a file; a variable of the shell may not be set"
        raise InputError(repr(path), "a path must not be empty", remedy=remedy)
    try:
        unfit = "\0" in path or not os.fsencode(path)
    except UnicodeEncodeError:
        unfit = True
    if unfit:
        rule = "a path must not hold NUL, or half a pair of surrogates"
        raise InputError(repr(path), rule, remedy="check the path")


def is_stored(path: str) -> bool:
    """Say whether a path is a file that can be read again; ``-`` is always the standard input."""
    # Asked of every run again and again, where a Path would take several times as long.
    return path != "-" and os.path.isfile(path)  # noqa: PTH113


def files_beside(source: str | Path) -> tuple[Notice, ...]:
    """Count what a folder holds beside the files that are read; nothing for what is no folder."""
    inside = Path(source).iterdir() if Path(source).is_dir() else ()
    beside = sorted(str(path) for path in inside if _is_beside(path))
    what = "files in a folder that are by their names no data, passed over"
    return (Notice(what, len(beside), beside[0]),) if beside else ()


def _is_beside(path: Path) -> bool:
    return path.is_file() and bool(re.fullmatch(_BESIDE, path.name))


def _in_folder(folder: Path) -> list[str]:
    files = sorted(str(p) for p in folder.iterdir() if p.is_file() and _is_data(p.name))
    # A table that an engine wrote may have folders for the values of a column.
    files = files or sorted(str(p) for p in folder.rglob("*=*/*.parquet") if _is_data(p.name))
    if not files:
        raise InputError(
            str(folder), "a folder must hold files to read", remedy="name the folder of the files"
        )
    return files


def _is_data(name: str) -> bool:
    odd = name in _MARKERS or name.endswith(SIDECAR) or re.fullmatch(_BESIDE, name)
    return not (odd or name.startswith("."))


def _is_wanted(address: str, named: str) -> bool:
    """Say whether a file elsewhere is to be read: what was named is, what lies beside it not."""
    return address.rstrip("/") == named or _is_data(address.rsplit("/", 1)[-1])


def _matching(pattern: str) -> list[str]:
    # Path.glob knows no absolute patterns.
    matches = glob(pattern, recursive=True)  # noqa: PTH207
    files = sorted(p for p in matches if Path(p).is_file() and not p.endswith(SIDECAR))
    if not files:
        raise InputError(
            pattern,
            "a glob must match a file",
            value="no match",
            remedy="check the pattern and the folder you are in",
        )
    return files


class _Passing(io.RawIOBase):
    """A file whose bytes are counted, and hashed where they come but once, as they pass."""

    def __init__(self, file: IO[bytes], *, hashing: bool) -> None:
        self._file = file
        self.count = 0
        self.sha256 = _new_sha256() if hashing else None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = _fill(self._file, buffer)
        self.count += count
        if self.sha256:
            self.sha256.update(memoryview(buffer)[:count])
        return count


def _fill(file: Any, buffer: Any) -> int:
    """Read into a buffer; what fsspec opens may only know how to read."""
    if hasattr(file, "readinto"):
        return int(file.readinto(buffer))
    data = file.read(len(buffer))
    memoryview(buffer)[: len(data)] = data
    return len(data)


def _new_sha256() -> Any:
    from hashlib import sha256  # noqa: PLC0415, late: slow to import

    return sha256()


class FileBytes(Iterable[memoryview]):
    """The decompressed bytes of a file in blocks, and ``source``, which says what was read.

    A block stays valid while the next one is fetched, and no longer. A compressed file that is
    damaged or cut short is refused, and so is one that unfolds to more than ``max_ratio`` times
    its size, and any file that changes while it is read.
    """

    notices: tuple[Notice, ...] = ()

    def __init__(self, path: str, layout: str = "auto", *, max_ratio: float = MAX_RATIO) -> None:
        if not max_ratio > 0:
            raise OptionError(f"max_ratio: must be above 0; got {max_ratio!r}. Hint: use 1000.")
        require_path(path)
        self.path, self.layout, self.max_ratio = path, layout, max_ratio
        self.source = Source(path)
        self.system = ""  # the file says it, unless a dict gives the file a name

    def __iter__(self) -> Iterator[memoryview]:
        try:
            with _open(self.path) as file:
                yield from self._blocks(file)
        except FileNotFoundError as error:
            raise InputError(self.path, "the file must exist", remedy="check the path") from error
        except OSError as error:
            rule = f"the file must be readable: {error}"
            remedy = remedy_of(error, "check the file and its folder")
            raise InputError(self.path, rule, remedy=remedy) from error

    def plain(self) -> FilePart | None:
        """Return the file as it lies on disk, if it is plain and the system can read it so."""
        if os.name != "posix" or not is_stored(self.path):
            return None
        try:
            with Path(self.path).open("rb") as file:
                if _decompressor(file.read(10)) is not _as_it_is:
                    return None
        except OSError:
            return None  # which reading it block by block will explain
        self.source = Source.of_file(self.path)
        return FilePart(self.path, 0, Path(self.path).stat().st_size)

    def check_unchanged(self) -> None:
        """Raise where the file on disk is not what it was when reading began."""
        if self.source.stamp and self.source != Source.of_file(self.path):
            raise InputError(
                self.path,
                "the file must not change while it is read",
                remedy="wait until it is written, and read it again",
            )

    def _blocks(self, file: IO[bytes]) -> Iterator[memoryview]:
        stored = is_stored(self.path)
        if stored:
            self.source = Source.of_file(self.path)
        # What comes through a pipe cannot be read again, so that it is hashed as it passes.
        passing = _Passing(file, hashing=not stored)
        unfolded = 0
        for block in self._unpacked(passing):
            unfolded += len(block)
            size = self.source.stamp[0] if self.source.stamp else passing.count
            refuse_unfolding(self.path, unfolded, size, self.max_ratio)
            yield block
        if passing.sha256:
            self.source = Source(self.path, hashed=passing.sha256.hexdigest())
        self.check_unchanged()

    def _unpacked(self, file: Any) -> Iterator[memoryview]:
        # Smaller than a block, so that a block is read into its place and not copied there.
        raw: Any = io.BufferedReader(file, _BLOCK // 4)
        try:
            open_stream = _decompressor(raw.peek(10)[:10])
            stream = open_stream(raw)
            buffers = [memoryview(bytearray(_BLOCK)) for _ in range(2)]
            while count := self._read_into(stream, buffers[0], plain=open_stream is _as_it_is):
                yield buffers[0][:count]
                buffers.reverse()
            while raw.read(_BLOCK):
                pass  # a decompressor may leave bytes unread
        finally:
            raw.detach()  # the file is not the buffer's to close

    def _read_into(self, stream: Any, buffer: memoryview, *, plain: bool) -> int:
        try:
            return int(stream.readinto(buffer))
        except EOFError as error:
            rule = "the file must be readable to its end, and it breaks off before that"
            raise InputError(self.path, rule, remedy="copy or download it again") from error
        except MemoryError:
            raise
        except Exception as error:  # every decompressor has errors of its own
            if plain:
                raise
            rule = f"the file must be readable, and its compression is damaged: {error}"
            raise InputError(self.path, rule, remedy="copy or download it again") from error


def read_text(path: str | Path) -> str:
    """Return a small file as text, whether it is compressed or not; no byte but NUL is refused.

    Examples
    --------
    >>> read_text("nowhere.txt")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: nowhere.txt: the file must exist. Hint: check the path.
    """
    content = b"".join(map(bytes, FileBytes(str(path))))
    if b"\0" in content:
        number = content.count(b"\n", 0, content.index(b"\0")) + 1
        rule = "the file must be text, and holds a NUL byte"
        raise InputError(f"{path}:{number}", rule, remedy="name another file, or write it as UTF-8")
    return content.decode("utf-8", "surrogateescape")


_ENDS = "\r\n|\n|\r"


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text, which end in LF, CRLF or CR and in nothing else.

    ``str.splitlines`` ends them at NEL, U+2028 and other characters, too, which an id may hold.

    Examples
    --------
    >>> lines_of("a\u2028b\r\nc\n"), lines_of("")
    (['a\u2028b', 'c'], [])
    """
    lines = re.split(_ENDS, text)
    return lines if lines[-1] else lines[:-1]


_BLANKS = "[ \t-\r]+"


def fields_of(line: str) -> list[str]:
    r"""Return the fields of a line, which blanks of ASCII part; an id may hold those of Unicode.

    Examples
    --------
    >>> fields_of(" a\xa0b  c ")
    ['a\xa0b', 'c']
    """
    return [field for field in re.split(_BLANKS, line) if field]


def csv_rows(
    path: str | Path, text: str, *, delimiter: str = ",", skip_blanks: bool = False
) -> list[tuple[int, list[str]]]:
    r"""Return the rows of CSV that hold anything, each with the number of its last line.

    Examples
    --------
    >>> csv_rows("a.csv", "topic,a\n\n1,0.5\n")
    [(1, ['topic', 'a']), (3, ['1', '0.5'])]
    >>> csv_rows("a.csv", "x" * 200_000)
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: a.csv:1: the file must be intact CSV: field larger than field limit
    (131072). Hint: check the quotes in this line and before it.
    """
    import csv  # noqa: PLC0415, late: only tables need it

    rows = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=skip_blanks
    )
    try:
        return [(rows.line_num, row) for row in rows if any(row)]
    except csv.Error as error:
        rule = f"the file must be intact CSV: {error}"
        remedy = "check the quotes in this line and before it"
        raise InputError(f"{path}:{rows.line_num}", rule, remedy=remedy) from error


def named_rows(path: str | Path, needed: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    r"""Return the rows of a table whose header names at least these columns, each with its place.

    Tabs, semicolons or commas part the cells.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("run;year\nbm25;1999\n")
    ...     file.flush()
    ...     [row for _, row in named_rows(file.name, ["run"])]
    [{'run': 'bm25', 'year': '1999'}]
    """
    text = read_text(path).removeprefix("\ufeff")
    delimiter = next((sign for sign in "\t;," if sign in text.partition("\n")[0]), ",")
    lines = csv_rows(path, text, delimiter=delimiter)
    header = lines[0][1] if lines else []
    require_distinct_columns(f"{path}:1", header)
    for name in needed:
        if name not in header:
            rule = f"a header must name a column {name}"
            remedy = "name the columns in the first line"
            raise InputError(f"{path}:1", rule, value=", ".join(header), remedy=remedy)
    rows = []
    for line, row in lines[1:]:
        wrong = len(row) != len(header) and f"every line must have {len(header)} cells"
        wrong = wrong or ("\0" in "".join(row) and "a cell must be text, and holds a NUL byte")
        if wrong:
            shown = delimiter.join(row)
            raise InputError(f"{path}:{line}", wrong, value=shown, remedy="correct the line")
        rows.append((f"{path}:{line}", dict(zip(header, row, strict=True))))
    if not rows:
        raise InputError(str(path), "there must be at least one entry", remedy="check the file")
    return rows


def require_distinct_columns(where: str, header: Sequence[str]) -> None:
    """Raise where a header names a column twice: one of the two would go unread.

    Examples
    --------
    >>> require_distinct_columns("a.csv:1", ["qid", "docno", "score", "score"])
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: a.csv:1: a header must name each column once; got 'score'. Hint:
    rename one of the two, or remove it.
    """
    twice = [name for i, name in enumerate(header) if name and name in header[:i]]
    if twice:
        rule = "a header must name each column once"
        remedy = "rename one of the two, or remove it"
        raise InputError(where, rule, value=twice[0], remedy=remedy)


def read_ahead(blocks: Iterable[memoryview], pool: "Executor") -> Iterator[memoryview]:
    """Fetch each block while the one before is worked on."""
    rest = iter(blocks)
    coming = pool.submit(next, rest, None)
    while (block := coming.result()) is not None:
        coming = pool.submit(next, rest, None)
        yield block


def _open(path: str) -> AbstractContextManager[IO[bytes]]:
    if path == "-":
        if sys.stdin is None:
            raise InputError(path, "standard input must be open", remedy="name a file")
        return nullcontext(sys.stdin.buffer)  # not ours to close
    if is_address(path):
        return open_address(path)
    return Path(path).open("rb", buffering=0)


def _decompressor(magic: bytes) -> Callable[[Any], Any]:
    if magic.startswith(b"\x1f\x8b"):
        return _open_gzip
    if magic.startswith(b"\xfd7zXZ\x00"):
        from lzma import LZMADecompressor  # noqa: PLC0415, late: only xz input needs it

        return lambda raw: _Streams(raw, LZMADecompressor)
    if magic.startswith(b"BZh") and magic[4:] in _BZ2_BLOCKS:
        from bz2 import BZ2Decompressor  # noqa: PLC0415, late: only bz2 input needs it

        return lambda raw: _Streams(raw, BZ2Decompressor)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return lambda raw: _Streams(raw, _zstd_decompressor())
    return _as_it_is


def _as_it_is(raw: Any) -> Any:
    return raw


def _open_gzip(raw: Any) -> Any:
    from isal import igzip  # noqa: PLC0415, late: only gz input needs it

    return igzip.IGzipFile(fileobj=raw)  # type: ignore[no-untyped-call]  # isal has no types here


def _zstd_decompressor() -> Callable[[], Any]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415, late: only zst input needs it
    else:
        from backports import zstd  # noqa: PLC0415, late: as above

    return zstd.ZstdDecompressor


class _Streams:
    """Compressed streams one after another, zeros between them at most, to the very last byte.

    The files that bz2 and lzma open pass silently over what comes after a stream and is none.
    """

    def __init__(self, raw: Any, new: Callable[[], Any]) -> None:
        self._raw, self._new = raw, new
        self._stream = new()

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; 0 at the end."""
        while (data := self._input()) is not None:
            if unpacked := self._stream.decompress(data, len(buffer)):
                buffer[: len(unpacked)] = unpacked
                return len(unpacked)
        return 0

    def _input(self) -> bytes | None:
        """Return what to decompress next, None when there is no more."""
        if self._stream.eof:
            return self._next_stream()
        if not self._stream.needs_input:
            return b""
        data: bytes = self._raw.read(_BLOCK // 4)
        if not data:
            raise EOFError
        return data

    def _next_stream(self) -> bytes | None:
        data: bytes = self._stream.unused_data
        while not (data := data.lstrip(b"\0")):
            data = self._raw.read(_BLOCK // 4)
            if not data:
                return None
        self._stream = self._new()
        return data


_ALLOWED: ContextVar[bool] = ContextVar("poolwise.addresses", default=True)


@contextmanager
def without_addresses() -> Iterator[None]:
    """Refuse whatever would be fetched from elsewhere inside of the block, whoever asks for it.

    Returns
    -------
    context manager
        For a ``with`` block.

    Examples
    --------
    >>> with without_addresses():
    ...     find_files("http://localhost/a.run")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: http://localhost/a.run: nothing is fetched from elsewhere here.
    Hint: read the address first, then allow it with --addresses, or copy the file.
    """
    token = _ALLOWED.set(False)
    try:
        yield
    finally:
        _ALLOWED.reset(token)


def refuse_if_elsewhere(address: str) -> None:
    """Raise where nothing may be fetched from elsewhere."""
    if not _ALLOWED.get():
        rule = "nothing is fetched from elsewhere here"
        remedy = "read the address first, then allow it with --addresses, or copy the file"
        raise InputError(address, rule, remedy=remedy)


_SCHEME = r"[A-Za-z][A-Za-z0-9+.:-]*://"


def is_address(path: str) -> bool:
    """Say whether a path is the address of a file elsewhere.

    Examples
    --------
    >>> is_address("s3://bucket/runs/bm25.run.gz"), is_address("runs/bm25.run.gz")
    (True, False)
    """
    return "://" in path and bool(re.match(_SCHEME, path))


def find_addresses(address: str) -> list[str]:
    """Return the addresses that one stands for, sorted: a file, a glob, or a folder's files.

    Examples
    --------
    >>> find_addresses("memory://nowhere/a.run")
    Traceback (most recent call last):
        ...
    poolwise.errors.InputError: memory://nowhere/a.run: the file must exist. Hint: check the
    address.
    """
    with _explained(address):
        system, place = filesystem_of(address)
        if has_magic(address):
            places = system.glob(place)
        elif system.isdir(place):
            places = system.find(place)
        else:
            places = [place] if system.exists(place) else []
        files = sorted(system.unstrip_protocol(file) for file in places)
    if not files:
        raise InputError(address, "the file must exist", remedy="check the address")
    return files


def open_address(address: str) -> IO[bytes]:
    """Open a file elsewhere, as it lies there."""
    with _explained(address):
        system, place = filesystem_of(address)
        file: IO[bytes] = system.open(place, "rb")
        return file


def filesystem_of(address: str) -> tuple[Any, str]:
    """Return the file system of fsspec that an address belongs to, and the place there."""
    refuse_if_elsewhere(address)
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 -- optional package
    except ImportError as error:
        raise MissingExtraError("fsspec", "remote") from error
    system, place = url_to_fs(address)
    return system, str(place)


@contextmanager
def _explained(address: str) -> Iterator[None]:
    """Say in one sentence why an address cannot be opened."""
    try:
        yield
    except (ImportError, OSError, ValueError) as error:
        if isinstance(error, InputError | MissingExtraError):
            raise
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        rule = f"the address must be one that fsspec can open: {reason}"
        remedy = "check it, install what fsspec needs for it, or copy the file"
        raise InputError(address, rule, remedy=remedy) from error
