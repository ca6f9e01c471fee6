"""Named tiny collections, one for each case that has gone wrong somewhere."""

from poolwise import Evidence, Judgments, Runs, align

__all__ = ["EXAMPLES", "example"]

_GRADES = {"1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1}, "2": {"a": 1, "b": 0, "c": 0, "d": 2}}

EXAMPLES: dict[str, tuple[dict[str, dict[str, float]], dict[str, dict[str, list[str]]]]] = {
    "all judged": (_GRADES, {"one": {"1": list("abcde"), "2": list("dcba")}}),
    "none judged": (_GRADES, {"one": {"1": list("uvwxy"), "2": list("uvw")}}),
    "some judged": (_GRADES, {"one": {"1": list("uavcb"), "2": list("dxa")}, "two": {"1": ["c"]}}),
    "a run lacks a topic": (_GRADES, {"one": {"1": list("ab"), "2": ["a"]}, "two": {"2": ["d"]}}),
    "one topic": ({"1": {"a": 1, "b": 0}}, {"one": {"1": ["b", "a"]}}),
    "one document": ({"1": {"a": 1}}, {"one": {"1": ["a"]}}),
    "nothing relevant": ({"1": {"a": 0, "b": 0}}, {"one": {"1": ["a", "x"]}}),
    "one topic without relevant": (
        {"1": {"a": 0}, "2": {"a": 1}},
        {"one": {"1": ["a", "x"], "2": ["x", "a"]}},
    ),
    "pooled, not judged": (
        {"1": {"a": 1, "b": -1, "c": 0, "d": 1}},
        {"one": {"1": ["b", "a", "x", "c", "d"]}},
    ),
    "grades that are no integers": (
        {"1": {"a": 0.5, "b": 1.5, "c": 0.0}},
        {"one": {"1": ["c", "a", "x", "b"]}},
    ),
    "an empty list": ({"1": {"a": 1}}, {"one": {"1": []}}),
}


def example(name: str) -> Evidence:
    """Return the evidence of a named collection."""
    grades, rankings = EXAMPLES[name]
    return align(Judgments.from_dict(grades), Runs.from_rankings(rankings))
