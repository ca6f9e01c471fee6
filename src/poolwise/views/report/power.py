"""Section 9 of the report: whether the collection is big enough."""

from poolwise.findings.overview import Overview
from poolwise.findings.planning._collection_power import CollectionPower
from poolwise.views.report.drawings.charts import power_chart
from poolwise.views.report.parts import Section, by_measure, figure, paragraph

__all__ = ["power_section"]


def power_section(overview: Overview) -> Section | None:
    """Return what the number of topics can detect; None without two runs and two topics."""
    parts = {str(one.measure): _power(one.power) for one in overview if one.power is not None}
    if not parts:
        return None
    question = "Is the collection big enough?"
    return Section("power", question, "Power", by_measure(parts, overview))


def _power(power: CollectionPower) -> str:
    chart = power_chart(
        power.curve(),
        title="The difference that is detected falls with the number of topics; the dotted line "
        "is where this collection stands",
        measure=str(power.measure),
        topics=power.topics,
    )
    return paragraph(*power.sentences()) + figure(chart)
