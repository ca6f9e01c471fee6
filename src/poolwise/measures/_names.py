"""Names into measures: ours, what people type for other tools, and what they mistype."""

import ast
import re
from collections.abc import Iterable, Sequence
from functools import cache

from poolwise.errors import MeasureError
from poolwise.measures._catalogue import CATALOGUE, Alias, Entry
from poolwise.measures._derived import External
from poolwise.measures._measure import Measure
from poolwise.provenance._recorded import recorded
from poolwise.words import counted

__all__ = ["closest", "edits", "measure_named", "parse_measure"]

_GRAMMAR = re.compile(
    r"""(?P<head> [^()]+? )
        (?: \( (?P<parameters> .*) \) )?
        (?: (?P<sign> @ | _at_ | _ | \.) (?P<number> \d*\.?\d+) )?
        (?: -l (?P<level> \d+) )?""",
    re.VERBOSE,
)

_LONGEST_NAME = 200
"""Characters of a name; to look for the names nearest to a text far longer would take minutes."""
_ESTIMATE = r"(?i)HT\((?P<of>.+)\)"
"""A measure of a measure, the only one."""
_LONE_VALUE = r"(?P<head>[^()]+)\((?P<value>-?[\d.]+)\)(?P<rest>@\d+)?"
"""A parameter without its name, as in RBP(0.8)."""
_GLUED = r"(.*[A-Za-z])(\d+)"
"""A cut-off without the sign before it, as in nDCG10."""
_MEANS = {"gm_map": "AP", "gmap": "AP", "gm_ap": "AP", "gm_bpref": "Bpref"}
_OF_RANKINGS = {"rba": "rank_biased_alignment", "rbr": "rank_biased_recall"}
_LATE_PARAMETERS = r"(?P<head>[^()@]+)@(?P<number>[\d.]+)\((?P<parameters>.*)\)"
"""Parameters behind the cut-off, as in P@10(rel=2)."""


@recorded
def parse_measure(name: str | Measure, *, complete: bool = True) -> Measure:
    """Return the measure of this name.

    Names are those of ir_measures; trec_eval's, ranx's and BEIR's are understood as well, and
    capitals do not matter. A measure is returned as it is, and one of ir_measures goes by its
    name. One without the cut-off that it needs is refused, unless ``complete=False`` says that the
    caller will set it.

    Parameters
    ----------
    name : str or Measure
        What to read.
    complete : bool
        Whether a measure that needs a cut-off must have one.

    Returns
    -------
    Measure
        The measure, a value; its ``repr`` is the canonical name.

    Examples
    --------
    >>> [parse_measure(name) for name in ("nDCG@10", "map_cut_100", "rbp.80", "map-l2")]
    [nDCG@10, AP@100, RBP(p=0.8), AP(rel=2)]
    >>> parse_measure("nDGC@10")
    Traceback (most recent call last):
    poolwise.errors.MeasureError: 'nDGC@10' is not a measure. Hint: did you mean nDCG@10?
    `poolwise measures` lists them all.
    """
    if isinstance(name, list | tuple):
        name = _only(name)
    measure = name if isinstance(name, Measure) else _parse(str(name).strip())
    if measure is None:
        raise _unknown(str(name))
    if complete:
        measure.check_complete()
    return measure


def _only(names: Sequence[str | Measure]) -> str | Measure:
    """Return the one measure of a list, which people write where several are taken elsewhere."""
    if len(names) == 1:
        return names[0]
    raise MeasureError(
        f"measure: one is needed here; got {len(names)}, {', '.join(map(str, names)) or 'none'}. "
        "Hint: call this for each of them."
    )


def measure_named(name: str | Measure) -> Measure:
    """Return the measure of this name, or one that stands for scores called so.

    Examples
    --------
    >>> measure_named("map"), measure_named("clicks per session")
    (AP, clicks per session)
    """
    try:
        return parse_measure(name)
    except MeasureError:
        return External(label=str(name))


def _parse(text: str) -> Measure | None:
    if len(text) > _LONGEST_NAME:
        raise MeasureError(
            f"'{text[:20]}…': a measure's name has at most {_LONGEST_NAME} characters; got "
            f"{len(text):,}. Hint: `poolwise measures` lists the names."
        )
    if text[:3].upper() == "HT(" and (estimate := re.fullmatch(_ESTIMATE, text)):
        # late: few evaluations have a sample
        from poolwise.measures.sampled._horvitz_thompson import HorvitzThompson  # noqa: PLC0415

        return HorvitzThompson(of=parse_measure(estimate["of"]))
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        return None
    alias = _find(match["head"])
    if alias is None:
        return _parse_two_numbers(text)
    parameters = _parameters(text, match["parameters"])
    measure = alias.measure(**parameters)
    if match["number"] and measure.at in parameters:
        raise _given_twice(text, "the cut-off")
    if match["number"]:
        measure = _with_number(alias, measure, match["sign"], match["number"])
    return measure(rel=int(match["level"])) if match["level"] else measure


def _parse_two_numbers(text: str) -> Measure | None:
    """Read ``rbp.95@10``: a measure with a number, and a cut-off."""
    stem, _, cutoff = text.rpartition("@")
    measure = _parse(stem) if cutoff.isdigit() else None
    if measure is None:
        return None
    if measure.at and measure.parameters().get(measure.at) is not None:
        raise _given_twice(text, "the cut-off")
    return measure @ int(cutoff)


def _with_number(alias: Alias, measure: Measure, sign: str, number: str) -> Measure:
    """Set what the number means: always the cut-off after ``@``."""
    if alias.number is not None and sign != "@":
        return measure(**alias.number(number))
    return measure @ (int(number) if number.isdigit() else float(number))


def _parameters(text: str, inside: str | None) -> dict[str, object]:
    """Read ``rel=2,gain='linear'``."""
    try:
        call = ast.parse(f"measure({inside or ''})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise _unreadable(text)
        pairs = [(str(k.arg), ast.literal_eval(k.value)) for k in call.keywords]
    except (SyntaxError, ValueError) as error:
        raise _unreadable(text) from error
    if len(dict(pairs)) < len(pairs):
        raise _given_twice(text, "each parameter")
    return dict(pairs)


def _given_twice(text: str, what: str) -> MeasureError:
    return MeasureError(f"{text!r}: {what} must be given once. Hint: keep the one that is meant.")


def _find(spelling: str) -> Alias | None:
    """Return the measure of this spelling: the exact one first, capitals or not second."""
    usual = _usual_spellings().get(spelling)
    return usual or _spellings().get(spelling) or _spellings().get(spelling.lower())


@cache
def _usual_spellings() -> dict[str, Alias]:
    return _spelled(CATALOGUE)


@cache
def _spellings() -> dict[str, Alias]:
    # late: the measures of samples and of subtopics take longer to load than to be asked for
    from poolwise.measures._diversity import DIVERSITY  # noqa: PLC0415
    from poolwise.measures.sampled._catalogue import SAMPLED  # noqa: PLC0415

    return _spelled((*CATALOGUE, *SAMPLED, *DIVERSITY))


def _spelled(entries: Sequence[Entry]) -> dict[str, Alias]:
    """Return every spelling, as it stands and in small letters; canonical names come first."""
    aliases = [Alias(entry.measure.name, entry.measure) for entry in entries] + [
        alias if isinstance(alias, Alias) else Alias(alias, entry.measure)
        for entry in entries
        for alias in entry.aliases
    ]
    lowered = {alias.spelling.lower(): alias for alias in reversed(aliases)}
    return lowered | {alias.spelling: alias for alias in reversed(aliases)}


def _unreadable(text: str) -> MeasureError:
    lone = re.fullmatch(_LONE_VALUE, text)
    alias = _find(lone["head"]) if lone else None
    name = next(iter(alias.measure.parameters()), None) if alias else None
    shown = "them as in RBP(p=0.9,gain='linear')@20"
    if alias and lone and name:
        shown = f"{alias.measure.name}({name}={lone['value']}){lone['rest'] or ''}"
    return MeasureError(
        f"{text!r}: parameters are written name=value, with commas between. Hint: write {shown}."
    )


def _unknown(text: str) -> MeasureError:
    if mean := _MEANS.get(text.lower()):
        return MeasureError(
            f"{text!r} is a geometric mean over topics, not a measure of a topic. Hint: "
            f"score {mean}, with --average geometric (in Python: averages='geometric')."
        )
    if function := _OF_RANKINGS.get(re.split(r"[@(]", text)[0].lower()):
        return MeasureError(
            f"{text!r} compares two rankings, and needs no judgments. Hint: in Python, call "
            f"poolwise.findings.{function}."
        )
    return _several(text) or _out_of_order(text) or _no_number(text) or _misspelled(text)


def _out_of_order(text: str) -> MeasureError | None:
    """Return the error where parameters stand behind the cut-off."""
    match = re.fullmatch(_LATE_PARAMETERS, text)
    meant = f"{match['head']}({match['parameters']})@{match['number']}" if match else ""
    if not match or not _is_measure(meant):
        return None
    return MeasureError(f"{text!r}: parameters stand before the cut-off. Hint: write {meant}.")


def _several(text: str) -> MeasureError | None:
    """Return the error where several measures stand in one name."""
    names = re.split(r"[\s,;|+]+", text)
    if len(names) < 2 or not all(map(_is_measure, names)):
        return None
    *others, last = names
    return MeasureError(
        f"{text!r}: these are {counted(len(names), 'measure')}, {', '.join(others)} and {last}. "
        "Hint: put commas between them (-m), or give a list."
    )


def _is_measure(text: str) -> bool:
    try:
        return _parse(text) is not None
    except MeasureError:
        return False


def _no_number(text: str) -> MeasureError | None:
    """Return the error where what follows @ is no number."""
    stem, _, cutoff = text.rpartition("@")
    if not stem or not _is_measure(stem):
        return None
    measure = _parse(stem)
    return MeasureError(
        f"{text!r}: a cut-off is a number, as in {measure}@10; got {cutoff!r}. Hint: write "
        f"{measure}@10."
    )


def _misspelled(text: str) -> MeasureError:
    suggestion = _meant(text)
    meant = f"did you mean {suggestion}? " if suggestion else ""
    return MeasureError(
        f"{text!r} is not a measure. Hint: {meant}`poolwise measures` lists them all."
    )


def _meant(text: str) -> Measure | None:
    """Return the measure whose spelling is closest, with the number and parameters given."""
    if (glued := re.fullmatch(_GLUED, text)) and _is_measure(number := f"{glued[1]}@{glued[2]}"):
        return _parse(number)
    match = _GRAMMAR.fullmatch(text)
    head = match["head"] if match else re.split(r"[@(]", text)[0]
    spelling = closest(head, [alias.spelling for alias in reversed(_spellings().values())])
    if spelling is None:
        return None
    try:
        return _parse(spelling + text[len(head) :]) or _spellings()[spelling].measure
    except MeasureError:
        return _spellings()[spelling].measure


def edits(word: str, other: str) -> int:
    """Return how many letters must be put in, left out, changed or swapped with the next.

    Swapped letters are one slip of the hand, so they count once (optimal string alignment:
    Damerau 1964; Boytsov 2011, section 2).

    Examples
    --------
    >>> edits("ncdg", "ndcg"), edits("recal", "recall"), edits("mpa", "map"), edits("", "ap")
    (1, 1, 1, 2)
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, above, row = row, before, [i]
        for j, theirs in enumerate(other, 1):
            changed = before[j - 1] + (letter != theirs)
            row.append(min(before[j] + 1, row[j - 1] + 1, changed))
            if i > 1 and j > 1 and (letter, theirs) == (other[j - 2], word[i - 2]):
                row[j] = min(row[j], above[j - 2] + 1)
    return row[-1]


def closest(typed: str, names: Iterable[str]) -> str | None:
    """Return the name that is fewest edits away, if a third of the letters or fewer are wrong.

    Of names as close as each other, one of the same letters is preferred, then one that begins
    alike, then the first. Capitals do not matter.

    Examples
    --------
    >>> closest("ncdg", ["Unjudged", "nDCG", "DCG"]), closest("clicks", ["nDCG", "AP"])
    ('nDCG', None)
    """
    word = typed.lower()
    away = [(*_distance(word, name.lower()), name) for name in names]
    near = [candidate for candidate in away if candidate[0] <= max(1, len(word) // 3)]
    return min(near, key=lambda candidate: candidate[:3])[3] if word and near else None


def _distance(word: str, name: str) -> tuple[int, bool, bool]:
    return edits(word, name), sorted(word) != sorted(name), word[:1] != name[:1]
