"""Run files, qrels and what is nearly one, as bytes that a reader may meet."""

from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st

__all__ = ["COLUMNS", "DUPLICATES", "FILES", "TIES", "blocks"]

TIES = ("trec_eval", "trec_eval9", "rank", "docid")
DUPLICATES = ("error", "first", "last", "best")

# Pieces that lines are made of: plain ones often, odd ones sometimes.
TOPICS = st.sampled_from([b"1", b"2", b"10", b"#3", b"\xff", b"query-id", b"t\xc3\xa9"])
DOCUMENTS = st.sampled_from(
    [b"a", b"b", b"FT911-1", b"FT911-10", b"NA", b"007", b'"x,#', b"clueweb09-en0000-00-00000"]
)
NUMBERS = st.sampled_from(
    b"1 2 3 0 -1 +4.2 1e-3 .5 5. 1e999 1e-999 123456789012345678 0.30000000000000004 0.3 "
    b"16777217 16777216 4.9e-324 -0 1.5.2 0x1 nan -inf Infinity +-1 1e . - e5 x 1_0".split()
)
SPACES = st.sampled_from([b" ", b" ", b"\t", b"  ", b" \t ", b"\x0b", b"\r"])
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b" \n", b"\n\n", b"\n# note\n", b""])


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Return a line that is nearly one of a run, of qrels, or of three columns."""
    rank = draw(st.sampled_from([b"1", b"2", b"3", b"-7", b"+1", b"x", b"1.0", b"9" * 20]))
    run = [draw(TOPICS), b"Q0", draw(DOCUMENTS), rank, draw(NUMBERS), b"tag", b"more"]
    qrels = [draw(TOPICS), b"0", draw(DOCUMENTS), draw(NUMBERS)]
    columns = [draw(TOPICS), draw(DOCUMENTS), draw(NUMBERS)]
    fields = draw(st.sampled_from([run[:6], run[:6], run, qrels, columns, run[:5], []]))
    return draw(SPACES).join(fields) + draw(ENDS)


# What stands before the last line is read many bytes at a time.
TAILS = st.sampled_from([b"", b"\n" + b"#" * 120, b"\n1 Q0 last 1 0 " + b"tag" * 40])
HEADERS = (
    b"query-id\tcorpus-id\tscore\n",
    b"qid docno RANK\n",
    b"\n# note\nquery_id docid rank\r\n",
    b"query-id\tcorpus-id\tclicks\n",
)
FILES = st.builds(
    lambda start, body, tail: start + b"".join(body) + tail,
    st.sampled_from([b"", b"", b"\xef\xbb\xbf", *HEADERS, b"#", b"\n"]),
    st.lists(st.one_of(lines(), lines(), lines(), st.binary(max_size=12)), max_size=12),
    TAILS,
)

# Runs of three columns: whole numbers that rise, fall or neither, and now and then a fraction.
COLUMNS = st.builds(
    lambda header, lists: (
        header
        + b"".join(
            b"%d\t%s\t%s\n" % (topic, document, value)
            for topic, column in lists
            for document, value in column
        )
    ),
    st.sampled_from([b"", b"", b"", *HEADERS]),
    st.lists(
        st.tuples(
            st.integers(1, 4),
            st.lists(
                st.tuples(
                    st.sampled_from([*b"abcdefgh".decode()]).map(str.encode),
                    st.sampled_from([b"0", b"1", b"1", b"2", b"2", b"3", b"4", b"1.5"]),
                ),
                min_size=1,
                max_size=4,
                unique_by=(lambda entry: entry[0]),
            ),
        ),
        min_size=1,
        max_size=3,
    ),
)


def blocks(raw: bytes, cuts: list[int]) -> Iterator[memoryview]:
    """Cut the bytes; each block is overwritten when the next is asked for, as a buffer is."""
    edges = [0, *sorted(min(c, len(raw)) for c in cuts), len(raw)]
    for start, stop in pairwise(edges):
        block = bytearray(raw[start:stop])
        yield memoryview(block)
        block[:] = b"?" * len(block)
