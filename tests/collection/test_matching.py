"""Judged documents are found among the retrieved ones by id, topic by topic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise import Judgments, Runs
from poolwise.collection._reading import match_documents
from poolwise.errors import InputError

pytestmark = pytest.mark.usefixtures("both_readers")

IDS = st.text("ab\xe9\udcff0", min_size=1, max_size=3)
COLLECTIONS = st.dictionaries(IDS, st.sets(IDS, max_size=6), min_size=1, max_size=4)


@given(COLLECTIONS, COLLECTIONS)
def test_matching_is_equality_of_topic_and_id(
    retrieved: dict[str, set[str]], judged: dict[str, set[str]]
) -> None:
    """A row points to the judgment of the same topic and document, and to −1 if there is none."""
    runs = Runs.from_rankings({"x": {t: sorted(docs) for t, docs in retrieved.items()}})
    qrels = Judgments.from_dict({t: dict.fromkeys(docs, 1.0) for t, docs in judged.items()})
    rows = match_documents(qrels, runs)
    at = {(qrels.topics[t], qrels.documents[row]): row for row, t in enumerate(qrels.topic_of_row)}
    topic_of_row = np.repeat(np.arange(len(runs.topics)), np.diff(runs.topic_starts))
    wanted = [
        at.get((runs.topics[t], document), -1)
        for t, document in zip(topic_of_row, runs.documents, strict=True)
    ]
    assert rows.tolist() == wanted


def test_a_ranking_holds_a_document_once() -> None:
    """Rankings given as lists meet the rule that files meet."""
    with pytest.raises(InputError, match="topic 7: a document may occur once"):
        Runs.from_rankings({"x": {"7": ["a", "b", "a"]}})
