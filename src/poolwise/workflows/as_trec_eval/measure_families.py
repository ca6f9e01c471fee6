"""The measures of ``trec_eval``, in the order and under the names it prints."""

from collections.abc import Iterable

from poolwise.errors import OptionError

__all__ = ["FAMILIES", "NICKNAMES", "families_wanted"]

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
    """Return the families asked for, with their cut-offs where some were given.

    Examples
    --------
    >>> families_wanted(["map", "P.10,5"])
    {'map': (), 'P': ('5', '10')}
    """
    wanted: dict[str, tuple[str, ...]] = {}
    for name in measures:
        for family, parameters in _expand(name):
            wanted[family] = tuple(dict.fromkeys((*wanted.get(family, ()), *parameters)))
    if like == "9":
        wanted = {f: p for f, p in wanted.items() if f not in _ONLY_IN_10}
    return {f: _sorted(p) for f, p in wanted.items()}


def _expand(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Read a nickname, ``map``, ``P.5,10`` or ``P_5``."""
    if name in NICKNAMES:
        return [(family, ()) for family in NICKNAMES[name]]
    if name in FAMILIES:
        return [(name, ())]
    for family in sorted(FAMILIES, key=len, reverse=True):
        if name.startswith((f"{family}.", f"{family}_")):
            return [(family, _parameters(family, name[len(family) + 1 :]))]
    raise OptionError(
        f"-m: {name!r} is not a measure of trec_eval. Hint: use one of "
        f"{', '.join((*NICKNAMES, *FAMILIES))}; for others, poolwise evaluate."
    )


def _parameters(family: str, text: str) -> tuple[str, ...]:
    """Split cut-offs and write them as trec_eval does; other parameters stay one text."""
    if not FAMILIES[family]:
        return (text,)
    form = "{:.2f}" if family in ("iprec_at_recall", "Rprec_mult") else "{:.0f}"
    try:
        return tuple(form.format(float(part)) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"-m: the cut-offs of {family} must be numbers; got {text!r}. Hint: write "
            f"{family}.{','.join(FAMILIES[family][:2])}."
        ) from None


def _sorted(parameters: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(parameters, key=float)) if len(parameters) > 1 else parameters
