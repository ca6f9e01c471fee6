"""The charts and bars of the page as they are seen: Vega draws them, and they are read back."""

import re

import pytest

import poolwise as pw
from poolwise.findings._treatment_means import BOUNDS_ROW, DRAWN, PLAUSIBLE_ROW
from poolwise.views.report._charts import (
    delta_chart,
    density_chart,
    drawn_chart,
    estimate_chart,
    overlap_chart,
    pair_chart,
    power_chart,
    topic_chart,
    tree_chart,
    unjudged_chart,
    unjudged_density_chart,
)
from poolwise.views.report._nested_bars import Axis, Bar, nested_bars

pytest.importorskip("vl_convert")

from tests.views.report.scene_reader import Item, Scene, draw_chart

TABLE = pw.ScoreTable.from_matrix(
    [[0.9, 0.2, 0.5, 0.4], [0.3, 0.6, 0.5, 0.1], [0.1, 0.4, 0.8, 0.7]],
    systems=["a", "b", "c"],
    topics=["1", "2", "3", "4"],
    measure="nDCG@10",
)


def near(value: object) -> object:
    return pytest.approx(value, abs=2e-3)


def rise(scene: Scene, item: Item) -> tuple[float, float]:
    """Return both ends of an item along the axis beside it."""
    return scene.y(item.bottom), scene.y(item.top)


def span(scene: Scene, item: Item) -> tuple[float, float]:
    """Return both ends of an item along the axis below."""
    return scene.x(item.left), scene.x(item.right)


def test_a_topic_won_goes_up_in_olive_and_one_lost_goes_down_in_plum() -> None:
    """Bars begin at 0 and end at the difference; the colour says who is ahead."""
    scene = draw_chart(delta_chart(TABLE.deltas("a", "b")))
    (bars,) = scene.layers
    drawn = {bar.told["topic"]: (bar.colour, rise(scene, bar)) for bar in bars}
    ahead, behind = "var(--ahead)", "var(--behind)"
    assert drawn == {
        "1": (ahead, near((0, 0.6))),
        "4": (ahead, near((0, 0.3))),
        "3": (ahead, near((0, 0))),
        "2": (behind, near((-0.4, 0))),
    }


def test_the_box_of_a_topic_is_its_middle_half() -> None:
    """A line from the lowest to the highest score, a box over the middle half, and the median."""
    spread = TABLE.topic_spread()
    options = {"title": "", "measure": "nDCG@10", "name": "topics", "caption": ""}
    scene = draw_chart(topic_chart(spread, **options))
    whole, boxes, medians = scene.layers
    for i, topic in enumerate(spread["topic"]):
        numbers = {name: spread[name][i] for name in spread}
        assert whole[i].told["topic"] == boxes[i].told["topic"] == topic
        assert rise(scene, whole[i]) == near((numbers["lowest"], numbers["highest"]))
        assert rise(scene, boxes[i]) == near((numbers["quarter"], numbers["three_quarters"]))
        middle = (medians[i].top + medians[i].bottom) / 2
        assert scene.y(middle) == near(numbers["median"])
    assert {box.colour for box in boxes} == {"var(--topics)"}
    assert {median.colour for median in medians} == {"var(--ink)"}


def test_a_shade_stands_for_the_numbers_that_the_legend_gives_it() -> None:
    """Of ten documents none, one, two or three, four or five, six or seven, and more unjudged."""
    counts = list(range(11))
    columns = {"run": ["a"] * 11, "topic": [str(c) for c in counts], "unjudged": counts}
    chart = unjudged_chart(columns, columns["topic"], title="", depth=10)
    (cells,) = draw_chart(chart).layers
    shade = {int(cell.told["topic"]): int(cell.colour[-2]) for cell in cells}
    assert shade == dict(zip(counts, (0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5), strict=True))
    names = {cell.told["unjudged among the first 10"] for cell in cells}
    assert names == {"0", "1", "2–3", "4–5", "6–7", "8–10"}


def test_an_overlap_at_the_edge_of_two_shades_has_the_upper_one() -> None:
    """0.3 is in 0.3–0.5, as the legend says."""
    values = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
    columns = {
        "run": ["a"] * 7,
        "other": [f"r{i}" for i in range(7)],
        "overlap": values,
    }
    (cells,) = draw_chart(overlap_chart(columns, title="")).layers
    shade = {float(cell.told["overlap"]): int(cell.colour[-2]) for cell in cells}
    assert shade == {0.0: 0, 0.1: 1, 0.3: 2, 0.5: 3, 0.7: 4, 0.9: 5, 1.0: 5}


def test_shares_of_topics_have_the_shades_of_their_classes() -> None:
    """One topic in two is in 50–75%, one in a thousand below 1%."""
    columns = {"run": ["a"] * 3, "unjudged": [0, 1, 2], "topics": [1, 250, 500]}
    chart = unjudged_density_chart(columns, title="", topics=1000, depth=10)
    (cells,) = draw_chart(chart).layers
    assert {cell.told["topics"]: cell.colour for cell in cells} == {
        "1": "var(--heat-0)",
        "250": "var(--heat-3)",
        "500": "var(--heat-4)",
    }


def test_each_pair_has_the_colour_of_its_state_and_its_better_run_in_the_row() -> None:
    """The cell of two runs stands beside the one with the higher mean."""
    columns = {
        "better": ["a", "a", "b"],
        "worse": ["b", "c", "c"],
        "difference": [0.1, 0.2, 0.1],
        "state": ["open", "holds", "too few topics"],
    }
    scene = draw_chart(pair_chart(columns, title=""))
    (cells,) = scene.layers
    colours = {(c.told["better"], c.told["worse"]): c.colour for c in cells}
    assert colours == {
        ("a", "b"): "var(--open)",
        ("a", "c"): "var(--holds)",
        ("b", "c"): "var(--few)",
    }
    places = {(c.told["better"], c.told["worse"]): (c.left, c.top) for c in cells}
    assert places["a", "b"][0] < places["a", "c"][0]
    assert places["a", "b"][1] < places["b", "c"][1]


def test_estimates_stand_in_what_is_possible_and_plausible() -> None:
    """Two bars of two colours from low to high, and a black point at each mean, by run."""
    columns = {
        "run": ["a", "a", "a", "b", "b", "b"],
        "treatment": [BOUNDS_ROW, PLAUSIBLE_ROW, "condensed"] * 2,
        "mean": [None, None, 0.4, None, None, 0.5],
        "low": [0.2, 0.3, None, 0.1, 0.4, None],
        "high": [0.8, 0.6, None, 0.7, 0.5, None],
    }
    scene = draw_chart(estimate_chart(columns, title="", measure="AP", caption=""))
    possible, plausible, points = scene.layers
    for bars, colour, ends in (
        (possible, "var(--unjudged)", {"a": (0.2, 0.8), "b": (0.1, 0.7)}),
        (plausible, "var(--plausible)", {"a": (0.3, 0.6), "b": (0.4, 0.5)}),
    ):
        assert {bar.told["run"]: span(scene, bar) for bar in bars} == {
            run: near(both) for run, both in ends.items()
        }
        assert {bar.colour for bar in bars} == {colour}
    assert {p.told["run"]: scene.x(p.left) for p in points} == {"a": near(0.4), "b": near(0.5)}
    wide = [bar.bottom - bar.top for bar in (*possible[:1], *plausible[:1])]
    assert wide[0] > wide[1]


def test_frequent_scores_have_large_circles() -> None:
    """The area of a circle goes with the share of draws, and single scores are shapes."""
    columns = {
        "topic": ["1"] * 4,
        "score": [0.2, 0.4, 0.6, 0.5],
        "share": [0.1, 0.6, 0.3, None],
        "what": [DRAWN, DRAWN, DRAWN, "condensed"],
    }
    scene = draw_chart(drawn_chart(columns, title="", measure="AP", caption=""))
    circles, shapes = scene.layers
    by_score = {round(scene.x(c.left), 3): c.size for c in circles}
    assert sorted(by_score, key=by_score.__getitem__) == [0.2, 0.6, 0.4]
    assert [round(scene.x(s.left), 3) for s in shapes] == [0.5]
    assert {c.colour for c in circles} == {"var(--topics)"}


def test_a_tree_has_its_first_run_on_top_and_its_joins_at_their_distances() -> None:
    """Rows go downwards from 0, and the axis below says how far apart runs are."""
    columns = {
        "distance": [0.0, 0.0, 0.4],
        "distance_end": [0.4, 0.4, 0.4],
        "row": [0.0, 1.0, 0.0],
        "row_end": [0.0, 1.0, 1.0],
    }
    scene = draw_chart(tree_chart(columns, ("first", "second"), title=""))
    (lines,) = scene.layers
    assert span(scene, lines[0]) == near((0.0, 0.4))
    assert lines[0].top < lines[1].top
    names = [text.rstrip("\u2060") for text, _ in sorted(scene.down, key=lambda label: label[1])]
    assert names == ["first", "second"]


def test_densities_and_power_are_drawn_where_the_numbers_are() -> None:
    """A bar is as high as the topics in it, and a dotted line stands at the topics there are."""
    columns = {"low": [0.0, 0.5], "high": [0.5, 1.0], "topics": [3, 9]}
    scene = draw_chart(density_chart(columns, title="", of="AP", name="deltas"))
    (bars,) = scene.layers
    assert [rise(scene, bar) for bar in bars] == [near((0, 3)), near((0, 9))]
    curve = {"topics": [10, 50, 100], "difference": [0.3, 0.2, 0.1], "spread": ["median"] * 3}
    scene = draw_chart(power_chart(curve, title="", measure="AP", topics=50))
    line = next(layer for layer in scene.layers if len(layer) == 3)
    (here,) = scene.layers[-1][:1]
    assert [scene.y(point.top) for point in line] == near([0.3, 0.2, 0.1])
    assert here.left == pytest.approx(line[1].left)


@pytest.mark.parametrize(
    ("kind", "height"), [("unjudged", 18), ("interval", 18), ("plausible", 10), ("topics", 2)]
)
def test_bars_are_nested_around_one_line(kind: str, height: int) -> None:
    """All have their middle at half the height of the cell, and what is over topics is thin."""
    markup = nested_bars(0.5, [Bar(0.2, 0.6, kind)], Axis(0.0, 1.0, [0.0, 1.0]))
    rectangles = re.findall(
        r'class="(\w+)" x="([-\d.]+)" y="(\d+)" width="([\d.]+)" height="(\d+)"', markup
    )
    (_, x, y, width, tall), mean = rectangles
    assert (float(x), float(width)) == (200.0, 400.0)
    assert int(tall) == height
    assert int(y) + int(tall) / 2 == 12
    assert mean[0] == "mean"
    assert float(mean[1]) + float(mean[3]) / 2 == pytest.approx(500)
