"""The measures of ``trec_eval``, by its names, and their values as it computes them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from poolwise.arrays import Booleans, Floats
from poolwise.errors import MeasureError, OptionError
from poolwise.evidence._grades import BEYOND, POOLED, UNJUDGED, Graded, Grades, map_grades
from poolwise.evidence._ungraded import count_ungraded
from poolwise.measures._catalogue import RBP, RR, IPrec, NumRel, SetP, SetR, Utility
from poolwise.measures._derived import Residual
from poolwise.measures._measure import Measure
from poolwise.measures._names import parse_measure

__all__ = [
    "FAMILIES",
    "GEOMETRIC_FLOOR",
    "NICKNAMES",
    "ONLY_IN_10",
    "RunLists",
    "families_wanted",
    "measure_values",
    "printed_name",
    "trec_eval_flags",
]

_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_TENTHS = tuple(f"{i / 10:.2f}" for i in range(11))
_MULTIPLES = tuple(f"{i / 5:.2f}" for i in range(1, 11))

FAMILIES: dict[str, tuple[str, ...]] = {
    "runid": (),
    "num_q": (),
    "num_ret": (),
    "num_rel": (),
    "num_rel_ret": (),
    "map": (),
    "gm_map": (),
    "Rprec": (),
    "bpref": (),
    "recip_rank": (),
    "iprec_at_recall": _TENTHS,
    "P": _CUTOFFS,
    "relstring": (),
    "recall": _CUTOFFS,
    "infAP": (),
    "gm_bpref": (),
    "Rprec_mult": _MULTIPLES,
    "utility": (),
    "11pt_avg": (),
    "binG": (),
    "G": (),
    "ndcg": (),
    "ndcg_rel": (),
    "Rndcg": (),
    "ndcg_cut": _CUTOFFS,
    "map_cut": _CUTOFFS,
    "relative_P": _CUTOFFS,
    "success": ("1", "5", "10"),
    "set_P": (),
    "set_relative_P": (),
    "set_recall": (),
    "set_map": (),
    "set_F": (),
    "num_nonrel_judged_ret": (),
    "rbp": (),
    "rbp_resid": (),
    "unj": ("5", "10", "20"),
}
"""Measures in the order printed, and the cut-offs that follow a name by default."""

_OFFICIAL = tuple(FAMILIES)[:12]
_TWO_DECIMALS = ("iprec_at_recall", "Rprec_mult")
ONLY_IN_10 = ("rbp", "rbp_resid", "unj")
NICKNAMES = {
    "official": _OFFICIAL,
    "all_trec": tuple(FAMILIES),
    "set": (
        *_OFFICIAL[:5],
        *("utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
}


def families_wanted(measures: Iterable[str], like: str = "10") -> dict[str, tuple[str, ...]]:
    """Return the families asked for, each with its parameters: cut-offs, or one text, or none.

    Examples
    --------
    >>> families_wanted(["map", "P.10,5", "set_F.0.5"])
    {'map': ('',), 'P': ('5', '10'), 'set_F': ('0.5',)}
    """
    wanted: dict[str, list[str]] = {}
    for name in measures:
        for family, parameters in _expand(name, like):
            wanted.setdefault(family, []).extend(parameters)
    return {family: _completed(family, parameters) for family, parameters in wanted.items()}


def printed_name(family: str, parameter: str) -> str:
    """Return what ``trec_eval`` prints for a measure and its parameter.

    Examples
    --------
    >>> printed_name("P", "5"), printed_name("iprec_at_recall", "0.125"), printed_name("map", "")
    ('P_5', 'iprec_at_recall_0.12', 'map')
    """
    if family in _TWO_DECIMALS:
        parameter = f"{float(parameter):.2f}"
    return f"{family}_{parameter}" if parameter else family


_TIES = ("trec_eval", "trec_eval9")


def trec_eval_flags(measure: Measure, grades: Graded) -> tuple[str, str]:
    """Return the options with which ``trec_eval`` prints a measure, or why there are none.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 0, 2]])
    >>> [trec_eval_flags(parse_measure(m), grades)[0] for m in ("nDCG@10", "AP(rel=2)", "RR@5")]
    ['-m ndcg_cut.10', '-l 2 -m map', '-M 5 -m recip_rank']
    >>> trec_eval_flags(parse_measure("ERR@20"), grades)
    ('', 'it has no measure ERR@20')
    """
    levels = [*grades.scale.tolist(), float(str(measure.parameters().get("rel") or 1))]
    if any(level != int(level) for level in levels):
        return "", "it reads grades as integers"
    if grades.provenance.tie_rule not in _TIES:
        return "", f"it orders ties in another way than {grades.provenance.tie_rule}"
    for level, plain in _at_level_one(measure):
        for depth, whole in _with_all_ranks(plain):
            if name := _family_name(whole):
                return f"{level}{depth}-m {name}", ""
    return "", f"it has no measure {measure}"


def _at_level_one(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """Yield the measure, and the same with the relevance level as an option."""
    yield "", measure
    level = measure.parameters().get("rel")
    if level is not None and level != 1:
        yield f"-l {level:g} ", measure(rel=1)


def _with_all_ranks(measure: Measure) -> Iterator[tuple[str, Measure]]:
    """Yield the measure, and reciprocal rank with its cut-off as an option."""
    yield "", measure
    if measure.depth is not None and measure == RR @ measure.depth:
        yield f"-M {measure.depth} ", RR


def _family_name(measure: Measure) -> str:
    """Return what follows -m for a measure; empty where trec_eval has none that is the same."""
    parameters = measure.parameters()
    if isinstance(measure, type(Utility)):
        return f"utility.{parameters['gain']:g},{parameters['cost']:g},{parameters['missed']:g},0"
    numbers = [
        parameters[name] for name in (measure.at, "mult") if parameters.get(name) is not None
    ]
    numbers += [float(str(parameters["beta"])) ** 2] if "beta" in parameters else []
    for family, cutoffs in FAMILIES.items():
        for number in numbers if cutoffs or family == "set_F" else [None]:
            end = "" if number is None else f"{number:g}"
            if family not in _NO_SCORE and _is_measure(f"{family}_{end}".rstrip("_"), measure):
                return f"{family}.{end}".rstrip(".")
    return ""


_NO_SCORE = ("runid", "relstring", "gm_map", "gm_bpref", "rbp", "rbp_resid", "unj")
"""What is no measure of ours, or another one under the same name."""


def _is_measure(name: str, measure: Measure) -> bool:
    # The number of one measure may be none that another can have.
    with suppress(MeasureError):
        return parse_measure(name) == measure
    return False


def _completed(family: str, parameters: list[str]) -> tuple[str, ...]:
    """Return the parameters once each, cut-offs ascending; the defaults where none are given."""
    distinct = tuple(dict.fromkeys(parameters)) or FAMILIES[family] or ("",)
    return tuple(sorted(distinct, key=float)) if FAMILIES[family] else distinct


def _expand(name: str, like: str) -> list[tuple[str, tuple[str, ...]]]:
    """Read a nickname, ``map``, ``P.5,10`` or ``P_5``."""
    families = [family for family in FAMILIES if like != "9" or family not in ONLY_IN_10]
    if name in NICKNAMES:
        return [(family, ()) for family in NICKNAMES[name] if family in families]
    if name in families:
        return [(name, ())]
    # The longest name first: ndcg_cut_10 begins with ndcg, too.
    for family in sorted(families, key=len, reverse=True):
        if name.startswith((f"{family}.", f"{family}_")):
            return [(family, _parameters(family, name[len(family) + 1 :]))]
    raise OptionError(
        f"-m: {name!r} is not a measure of trec_eval {like}. Hint: use one of "
        f"{', '.join((*NICKNAMES, *families))}; for others, poolwise evaluate."
    )


def _parameters(family: str, text: str) -> tuple[str, ...]:
    """Split cut-offs, whole ones cut to integers; other parameters stay one text."""
    if not FAMILIES[family]:
        return (text,)
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(
            f"-m: the cut-offs of {family} must be numbers; got {text!r}. Hint: write "
            f"{family}.{','.join(FAMILIES[family][:2])}."
        ) from None
    whole = family not in _TWO_DECIMALS
    return tuple(str(int(number)) if whole else str(number) for number in numbers)


GEOMETRIC_FLOOR = 1e-5
"""The smallest score that a geometric mean counts."""


@dataclass(frozen=True)
class RunLists:
    """One run as a measure sees it.

    Attributes
    ----------
    grades : Grades
        The grades of its lists, cut and condensed as the options ask.
    answered : bool array
        Which topics have a list: those that the run answers, or all.
    rel : int
        The smallest relevant grade.
    collection_size : int
        The number of documents in the collection.
    version : int
        The version of ``trec_eval``.
    """

    grades: Grades
    answered: Booleans
    rel: int = 1
    collection_size: int = 0
    version: int = 10

    @property
    def emptied(self) -> Booleans:
        """Which lists held documents, and have lost them all."""
        return self.answered & (self.grades.lengths[0] == 0)

    def score(self, measure: Measure) -> Floats:
        """Return the scores at the relevance level and of the version; undefined counts 0."""
        taken, grades, level = measure.parameters(), self.grades, self.rel
        if level < 1 and taken.get("rel") is not None:
            # Our measures take levels above 0: all judged documents are at level 1 here.
            grades, level = map_grades(grades, lambda scale: scale + (1 - self.rel)), 1
        wanted = {"version": self.version, "rel": level}
        changes = {name: v for name, v in wanted.items() if taken.get(name) is not None}
        return np.nan_to_num(measure(**changes).score(grades)[0])


def measure_values(family: str, parameter: str, lists: RunLists) -> Sequence[float | str]:
    """Return a measure's value for every topic, given the text after its name.

    Examples
    --------
    >>> grades = Grades.from_grades([[1, 0, 2]], judged=[1, 2, 0])
    >>> lists = RunLists(grades, np.array([True]))
    >>> measure_values("P", "5", lists), measure_values("relstring", "2", lists)
    ([0.4], ["'10'"])
    """
    if family in _SPECIAL:
        return _SPECIAL[family](lists, parameter)
    name = family.removeprefix("gm_")
    values = lists.score(parse_measure(f"{name}_{parameter}" if parameter else name))
    if family.startswith("gm_"):
        values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
    return list(values.tolist())


def _tags(lists: RunLists, _: str) -> list[str]:
    return [lists.grades.systems[0]] * len(lists.grades.topics)


def _ones(lists: RunLists, _: str) -> list[float]:
    return [1.0] * len(lists.grades.topics)


def _rbp(text: str) -> Measure:
    # trec_eval 10 scales gains by each topic's own top grade; the collection's is meant.
    return RBP(p=float(text.removeprefix("p=") or 0.9), gain="linear")


def _rbp_scores(lists: RunLists, text: str) -> list[float]:
    return list(_rbp(text).score(lists.grades)[0].tolist())


def _residuals(lists: RunLists, text: str) -> list[float]:
    return list(Residual(of=_rbp(text)).score(lists.grades)[0].tolist())


def _interpolated(lists: RunLists, text: str) -> list[float]:
    """Return interpolated precision; 0/0 where ``-J`` leaves no document and none is needed."""
    level = _number("iprec_at_recall", text)
    values = lists.score(IPrec @ level)
    recalled = np.multiply(lists.grades.relevant(lists.rel), level, dtype=np.float64)
    needed = IPrec(version=lists.version).needed(recalled)
    return list(np.where(lists.emptied & (needed == 0), np.nan, values).tolist())


def _points_averaged(lists: RunLists, text: str) -> list[float]:
    """Return the mean of interpolated precisions, added up from the highest recall down."""
    points = text.split(",") if text else [str(i / 10) for i in range(11)]
    points.sort(key=lambda point: -_number("11pt_avg", point))
    total = np.zeros(len(lists.grades.topics))
    for point in points:
        total += _interpolated(lists, point)
    return list((total / len(points)).tolist())


def _set_f(lists: RunLists, text: str) -> list[float]:
    """Return F from precision and recall, as trec_eval does, since the last digit depends on it."""
    x = _number("set_F", text or "1")
    precision, recall = lists.score(SetP), lists.score(SetR)
    divisor = x * precision + recall
    return list(((x + 1) * precision * recall / np.where(divisor > 0, divisor, 1)).tolist())


def _utilities(lists: RunLists, text: str) -> list[float]:
    """Weigh the four cells of the table retrieved or not × relevant or not."""
    try:
        gain, cost, missed, avoided = (float(part) for part in (text or "1,-1,0,0").split(","))
    except ValueError:
        raise OptionError(
            f"-m: utility takes four weights; got {text!r}. Hint: write utility.1,-1,0,0."
        ) from None
    # The fourth cell is what the other three leave of the collection.
    utility = Utility(gain=gain - avoided, cost=cost - avoided, missed=missed - avoided)
    rest = avoided * lists.collection_size
    return list((lists.score(utility) + rest).tolist())


def _gain_based(family: str) -> Callable[[RunLists, str], list[float]]:
    """Return the maker of a measure whose parameters set the gains of grades, as ``1=3,2=9``."""

    def values(lists: RunLists, text: str) -> list[float]:
        gains = _gains_of_grades(family, text)
        grades = map_grades(
            lists.grades, lambda scale: np.array([gains.get(g, g) for g in scale.tolist()])
        )
        return list(replace(lists, grades=grades).score(parse_measure(family)).tolist())

    return values


def _gains_of_grades(family: str, text: str) -> dict[float, float]:
    try:
        pairs = [part.split("=") for part in text.split(",")] if text else []
        gains = {float(int(grade)): float(gain) for grade, gain in pairs}
    except ValueError:
        # What cannot be read becomes a gain below 0, and is refused with these.
        gains = {0.0: -1.0}
    if min(gains.values(), default=0) < 0:
        raise OptionError(
            f"-m: the parameters of {family} are grades and their gains, none below 0; got "
            f"{text!r}. Hint: write {family}.1=3,2=9."
        )
    return gains


def _ndcg_at_levels(lists: RunLists, text: str) -> list[float]:
    """Return RnDCG; 0 where no grade of the topic reaches the relevance level."""
    values = np.array(_gain_based("Rndcg")(lists, text))
    return list(np.where(lists.score(NumRel) > 0, values, 0.0).tolist())


def _unjudged_shares(lists: RunLists, text: str) -> list[float]:
    """Divide by the cut-off, as trec_eval 10 does, where ``Unjudged@k`` stops at the list's end."""
    depth = int(text)
    return list((count_ungraded(lists.grades.truncate(depth))[0] / depth).tolist())


def _grade_strings(lists: RunLists, text: str) -> list[str]:
    """Write the first grades of each list, one character a document."""
    depth = int(text or 10)
    written = [">" if g > 9 else f"{g:.0f}" for g in lists.grades.scale]
    symbols = {**dict(enumerate(written)), UNJUDGED: "-", POOLED: ".", BEYOND: ""}
    cut = lists.grades.truncate(depth)
    rows = (row for block in cut.blocks for row in block.codes[0].tolist())
    return [f"'{''.join(symbols[code] for code in row)}'" for row in rows]


def _number(family: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(
            f"-m: the parameters of {family} must be numbers; got {text!r}. Hint: write "
            f"{family}.0.5."
        ) from None


_SPECIAL: dict[str, Callable[[RunLists, str], Sequence[float | str]]] = {
    "runid": _tags,
    "num_q": _ones,
    "iprec_at_recall": _interpolated,
    "relstring": _grade_strings,
    "utility": _utilities,
    "11pt_avg": _points_averaged,
    "G": _gain_based("G"),
    "ndcg": _gain_based("ndcg"),
    "ndcg_rel": _gain_based("ndcg_rel"),
    "Rndcg": _ndcg_at_levels,
    "set_F": _set_f,
    "rbp": _rbp_scores,
    "rbp_resid": _residuals,
    "unj": _unjudged_shares,
}
"""What is not the plain score of a measure: how each is computed, given the text after its name."""
