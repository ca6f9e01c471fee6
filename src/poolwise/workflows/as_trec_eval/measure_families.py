"""The measures of ``trec_eval``, in the order and under the names it prints."""

from collections.abc import Iterable

from poolwise.errors import OptionError

__all__ = ["FAMILIES", "NICKNAMES", "families_wanted", "printed_name"]

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
_ONLY_IN_10 = ("rbp", "rbp_resid", "unj")
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


def _completed(family: str, parameters: list[str]) -> tuple[str, ...]:
    """Return the parameters once each, cut-offs ascending; the defaults where none are given."""
    distinct = tuple(dict.fromkeys(parameters)) or FAMILIES[family] or ("",)
    return tuple(sorted(distinct, key=float)) if FAMILIES[family] else distinct


def _expand(name: str, like: str) -> list[tuple[str, tuple[str, ...]]]:
    """Read a nickname, ``map``, ``P.5,10`` or ``P_5``."""
    known = [family for family in FAMILIES if like != "9" or family not in _ONLY_IN_10]
    if name in NICKNAMES:
        return [(family, ()) for family in NICKNAMES[name] if family in known]
    if name in known:
        return [(name, ())]
    for family in sorted(known, key=len, reverse=True):
        if name.startswith((f"{family}.", f"{family}_")):
            return [(family, _parameters(family, name[len(family) + 1 :]))]
    raise OptionError(
        f"-m: {name!r} is not a measure of trec_eval {like}. Hint: use one of "
        f"{', '.join((*NICKNAMES, *known))}; for others, poolwise evaluate."
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
