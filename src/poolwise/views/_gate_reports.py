"""A gate as other programs show it: JUnit XML for test reports, annotations for GitHub."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from poolwise.findings.gating._gate import Gate
from poolwise.findings.gating._measure_gate import MeasureGate
from poolwise.provenance._recorded import recorded
from poolwise.results._finding import Finding
from poolwise.results._records import comment
from poolwise.words import visible

__all__ = ["github_annotations", "junit_bytes"]

_ELEMENTS = {"fail": "failure", "undecided": "skipped"}
"""What JUnit calls the outcomes; a pass is an empty test case."""
_COMMANDS = {"pass": "notice", "fail": "error", "undecided": "warning"}
"""The workflow commands of GitHub."""
_SUITE = "poolwise gate"


@recorded
def junit_bytes(found: Gate, record: Mapping[str, Any]) -> bytes:
    """Return a gate as JUnit XML: a test case for each measure, with its provenance in a comment.

    An undecided measure is a skipped test case, unless the rules make it a pass or a failure.

    Parameters
    ----------
    found : Gate
        What :func:`~poolwise.gate` found.
    record : mapping
        What produced the numbers.

    Returns
    -------
    bytes
        The XML file, in UTF-8.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=4, topics=30, depth=30, rng=1)
    >>> old, new = (made.runs.select([name]) for name in ("bm25-2", "bm25-1"))
    >>> text = junit_bytes(pw.gate(made.judgments, new, baseline=old), {"poolwise": "1.0"}).decode()
    >>> [line.strip() for line in text.splitlines() if "<testsuite " in line]
    ['<testsuite name="poolwise gate" tests="1" failures="0" errors="0" skipped="0">']
    """
    outcomes = [found.outcome_of(part.verdict) for part in found.measures]
    counts = Counter(outcomes)
    totals = {
        "tests": str(len(outcomes)),
        "failures": str(counts["fail"]),
        "errors": "0",
        "skipped": str(counts["undecided"]),
    }
    suites = ET.Element("testsuites", {"name": _SUITE, **totals})
    suite = ET.SubElement(suites, "testsuite", {"name": _SUITE, **totals})
    for part, outcome in zip(found.measures, outcomes, strict=True):
        _add_case(suite, found, part, outcome)
    ET.SubElement(suite, "system-out").text = _text(found)
    ET.indent(suites)
    # The comment stands after the declaration: nothing may come before that.
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    body = ET.tostring(suites, encoding="unicode")
    page = f"{head}\n{comment(dict(record), 'html')}\n{body}\n"
    return page.encode("utf-8", "backslashreplace")


def _add_case(suite: ET.Element, gate: Gate, part: MeasureGate, outcome: str) -> None:
    name = f"{part.measure}: {gate.candidate} against {gate.baseline}, margin {part.margin:g}"
    case = ET.SubElement(suite, "testcase", {"classname": "poolwise.gate", "name": visible(name)})
    if outcome in _ELEMENTS:
        message = visible(f"{gate.claim(part)}.")
        element = ET.SubElement(case, _ELEMENTS[outcome], {"message": message})
        if outcome == "fail":
            element.set("type", part.verdict)
            element.text = _text(gate)


def _text(finding: Finding) -> str:
    """Return the printout, without characters that XML cannot hold."""
    return visible(str(finding))


@recorded
def github_annotations(found: Gate) -> tuple[str, ...]:
    """Return workflow commands that put the verdict, and what fails, beside a pull request.

    Parameters
    ----------
    found : Gate
        What :func:`~poolwise.gate` found.

    Returns
    -------
    tuple of str
        The lines to print: the verdict first.

    Examples
    --------
    >>> import poolwise as pw
    >>> made = pw.simulate(systems=4, topics=30, depth=30, rng=1)
    >>> old, new = (made.runs.select([name]) for name in ("bm25-2", "bm25-1"))
    >>> github_annotations(pw.gate(made.judgments, new, baseline=old))[0].partition(" is ")[0]
    '::notice title=poolwise gate::Pass: bm25-1'
    """
    verdict = f"::{_COMMANDS[found.outcome]} title={_SUITE}::{_escaped(found.line)}"
    parts = [] if len(found.measures) == 1 else found.measures
    return (verdict, *(_of_measure(found, part) for part in parts if part.verdict != "pass"))


def _of_measure(gate: Gate, part: MeasureGate) -> str:
    command = _COMMANDS[gate.outcome_of(part.verdict)]
    # In a property of a command, a colon and a comma would end it.
    title = _escaped(f"{_SUITE}, {part.measure}").replace(":", "%3A").replace(",", "%2C")
    return f"::{command} title={title}::{_escaped(gate.claim(part))}."


def _escaped(text: str) -> str:
    """Return text that ends no command and begins no other: as GitHub's own toolkit escapes it."""
    shown = visible(text)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
