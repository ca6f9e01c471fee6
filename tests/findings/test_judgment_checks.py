"""Each rule finds what is planted for it, and nothing else does."""

from typing import Any

import pytest

import poolwise as pw
from poolwise.findings import JUDGMENT_RULES
from poolwise.workflows import audit_judgments

CLEAN = {
    "1": {"a": 1, "b": 0, "c": 2, "d": 0},
    "2": {"e": 0, "f": 1, "g": 2, "h": 0},
    "3": {"i": 1, "j": 0, "k": 1, "l": 0},
}
LISTS = {
    name: {topic: sorted(graded, key=lambda d: d * sign)[::sign] for topic, graded in CLEAN.items()}
    for name, sign in (("r", 1), ("s", -1), ("t", 1))
}
TEXTS = {document: f"text of {document}" for graded in CLEAN.values() for document in graded}
QUERIES = {"1": "red dress", "2": "blue shoes", "3": "green hat"}


def hits(
    grades: dict[str, dict[str, float]], lists: dict[str, Any] | None = None, **options: Any
) -> dict[str, tuple[str, ...]]:
    """Return what rules found, of those that found something."""
    runs = pw.Runs.from_rankings(lists or LISTS)
    arguments: dict[str, Any] = {
        "queries": QUERIES,
        "documents": TEXTS,
        "grades": [0, 1, 2],
    } | options
    checks = audit_judgments(pw.Judgments.from_dict(grades), runs, **arguments)
    return {name: some for name, some in checks.found.items() if some}


def planted(topic: str, graded: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return clean judgments with one topic in place of another."""
    return CLEAN | {topic: graded}


MANY = {f"m{i}": 2.0 for i in range(19)} | {"n": 0.0}
ONE = {"r": {"3": ["i", "k", "j"]}, "s": {"3": ["j"]}, "t": {"3": ["l"]}}
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "unequal grades of one text": (
        {"grades": CLEAN, "documents": TEXTS | {"c": "Text  of D", "d": "text of d"}},
        ("1: c (2), d (0)",),
    ),
    "one query under two topics": (
        {"grades": CLEAN, "queries": QUERIES | {"2": " Red DRESS?"}},
        ("1, 2 (0 graded differently)",),
    ),
    "order inverted": (
        {
            "grades": planted("2", {"a": 0, "c": 1, "b": 1}),
            "queries": QUERIES | {"2": "red dress"},
            "lists": {n: of | {"2": ["a", "b", "c"]} for n, of in LISTS.items()},
        },
        ("1, 2: a and b",),
    ),
    "document not there": (
        {"grades": CLEAN, "documents": {d: t for d, t in TEXTS.items() if d not in "bc"}},
        ("c", "b"),
    ),
    "outside the scale": ({"grades": planted("2", {"e": 7, "f": 0})}, ("2:e (7)",)),
    "nothing relevant": ({"grades": planted("2", {"e": 0, "f": 0})}, ("2",)),
    "all relevant": ({"grades": planted("2", {"e": 1, "f": 2})}, ("2",)),
    "nearly one grade": (
        {
            "grades": planted("2", MANY),
            "documents": None,
            "lists": {n: of | {"2": list(MANY)} for n, of in LISTS.items()},
        },
        ("2",),
    ),
    "one run alone": (
        {"grades": CLEAN, "lists": {n: of | ONE[n] for n, of in LISTS.items()}},
        ("3 (r)",),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_finds_what_is_planted(name: str) -> None:
    """What is planted is named, the worst first."""
    options, expected = CASES[name]
    assert hits(**options)[name] == expected


def test_clean_judgments_are_left_alone() -> None:
    """No rule finds anything where nothing is planted."""
    assert hits(CLEAN) == {}


def test_documents_outside_of_the_pool_are_named_relevant_ones_first() -> None:
    """A pool to depth 5 of all runs, and two documents that no run has there."""
    made = pw.simulate(systems=6, topics=20, depth=30, rng=3)
    pool = pw.pool(made.truth, made.runs, depth=5)
    grades = {t: dict(of) for t, of in pool.to_dict().items()}
    topic = made.truth.topics[0]
    ranked = {made.runs.ranking(s, topic)[20] for s in made.runs.systems}
    outside = sorted(ranked - grades[topic].keys())[:2]
    grades[topic] |= {outside[0]: 0, outside[1]: 2}
    checks = audit_judgments(pw.Judgments.from_dict(grades), made.runs)
    assert checks.found["outside the pool"] == (
        f"{topic}:{outside[1]} (2)",
        f"{topic}:{outside[0]} (0)",
    )
    assert audit_judgments(pool, made.runs).found["outside the pool"] == ()


def test_lines_that_stand_twice_are_counted(tmp_path: Any) -> None:
    """Where a policy lets them pass, the first place is named."""
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 b 0\n1 0 a 0\n2 0 c 1\n2 0 d 0\n")
    reading = pw.Reading(duplicates="first")
    runs = {"r": {"1": {"a": 1.0}, "2": {"c": 1.0}}}
    checks = audit_judgments(path, runs, reading=reading)
    assert len(checks.found["judged twice"]) == 1


def test_what_was_not_looked_for_is_said() -> None:
    """A rule that lacks its file is not one that found nothing."""
    runs = pw.Runs.from_rankings(LISTS)
    checks = audit_judgments(pw.Judgments.from_dict(CLEAN), runs)
    assert checks.not_asked["order inverted"] == "--queries"
    assert "unequal grades of one text" not in checks.found
    assert (
        "Not looked for: unequal grades of one text, document not there (--documents)"
        in (checks.sentences()[-1])
    )
    columns = checks.columns()
    assert columns["rule"] == list(JUDGMENT_RULES)
    assert [c is None for c in columns["count"]] == [r in checks.not_asked for r in columns["rule"]]


def test_every_rule_has_a_test_that_plants_it() -> None:
    """No rule of the table is missing above."""
    assert set(CASES) | {"outside the pool", "judged twice"} == set(JUDGMENT_RULES)
