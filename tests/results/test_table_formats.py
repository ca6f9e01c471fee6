"""Tables in every format, as they are printed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.each import over

from poolwise.errors import OptionError
from poolwise.results._layout import FORMATS, render
from poolwise.results._tables import Column, IntervalBar, Table

TABLE = Table(
    columns=(Column("run"), Column("AP", digits=3, best="max"), Column("n")),
    rows=(("a_b & c", 0.25, 50), ("x|y <z>", 0.3, 49), ("100%", float("nan"), None)),
    title="Scores #1",
    notes=("2 topics left out",),
    marks=(("", "", ""), ("", "†", ""), ("", "", "")),
)

MARKDOWN = r"""**Scores #1**

| run         |                    AP |  n |
|-------------|----------------------:|---:|
| a_b & c     |                 0.250 | 50 |
| x\|y &lt;z> | **0.300**<sup>†</sup> | 49 |
| 100%        |                     – |  – |

2 topics left out  """

LATEX = r"""% Scores #1
% 2 topics left out
\begin{tabular}{lrr}
\toprule
run & AP & n \\
\midrule
a\_b \& c & 0.250 & 50 \\
x|y $<$z$>$ & \textbf{0.300}\textsuperscript{$\dagger$} & 49 \\
100\% & -- & -- \\
\bottomrule
\end{tabular}"""

HTML = """\
<table>
<caption>Scores #1</caption>
<thead><tr><th scope="col">run</th><th scope="col" class="number">AP</th>\
<th scope="col" class="number">n</th></tr></thead>
<tbody>
<tr><td>a_b &amp; c</td><td class="number">0.250</td><td class="number">50</td></tr>
<tr><td>x|y &lt;z&gt;</td><td class="number"><strong>0.300</strong><sup>†</sup></td>\
<td class="number">49</td></tr>
<tr><td>100%</td><td class="number">–</td><td class="number">–</td></tr>
</tbody>
</table>
<p>2 topics left out</p>
"""


# Debian's texlive-latex-base has no booktabs; its rules are then plain lines.
DOCUMENT = r"""\documentclass{article}
\IfFileExists{booktabs.sty}{\usepackage{booktabs}}{\let\toprule\hline \let\midrule\hline
\let\bottomrule\hline}
\begin{document}
%s
\end{document}
"""

CSV = """\
run,AP,n
a_b & c,0.250,50
x|y <z>,0.300†,49
100%,–,–
"""


@pytest.mark.parametrize(
    ("form", "expected"), [("markdown", MARKDOWN), ("latex", LATEX), ("html", HTML), ("csv", CSV)]
)
def test_each_format_is_written_so(form: str, expected: str) -> None:
    """Names are escaped, the best is bold, marks are raised, undefined is a dash."""
    assert render(TABLE, form) == expected


def test_text_columns_line_up() -> None:
    """Every row of a text table starts its columns at the same place."""
    lines = render(TABLE).split("\n")[2:6]
    assert len({len(line) for line in lines}) == 1


def test_rounding_and_percentages_are_options() -> None:
    """A table can be written with other decimals, and in percent."""
    assert "25.0" in render(TABLE.rounded(1, percent=True))
    assert "0.25 " in render(TABLE.rounded(2))


def test_an_unknown_format_is_refused() -> None:
    """The error lists the formats there are."""
    with pytest.raises(OptionError, match="text, markdown, latex, html"):
        render(TABLE, "docx")


@over("form", FORMATS)
def test_an_empty_table_still_renders(form: str) -> None:
    """No rows is a table with a header."""
    assert "run" in render(Table((Column("run"), Column("AP", best="max")), ()), form)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    """LaTeX accepts what we write, awkward names included."""
    (tmp_path / "t.tex").write_text(DOCUMENT % render(TABLE, "latex"), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)  # noqa: S603 -- a fixed command
    assert ran.returncode == 0, ran.stdout[-2000:]


def test_markdown_holds_no_markup_of_others() -> None:
    """Tags, entities, links, images and code of a name are text."""
    name = "<script>alert(1)</script> ![x](http://x) `y` &lt;"
    table = Table((Column(name),), ((name,),), title=name, notes=(name,))
    text = render(table, "markdown")
    assert not re.search(r"<(?!sup|/sup)|(?<!\\)\[|(?<!\\)`|&lt;(?!script|/script)", text)


def test_no_format_commands_a_terminal() -> None:
    """Control characters are escapes in cells, titles and notes."""
    name = "\x1b[2Jcaf\udce9\u202e"
    table = Table((Column(name),), ((name,),), title=name, notes=(name,))
    for form in FORMATS:
        text = render(table, form)
        assert "\x1b" not in text
        assert text.count("caf") == text.count("x1b") >= 2
        text.encode()


def test_bars_reach_from_low_to_high_and_the_mean_is_seen_upon_them() -> None:
    """On an axis of eleven places from 0 to 1, a tenth is a place."""
    thin, wide = ("─", (0.0, 0.4), (0.8, 1.0)), ("━", (0.2, 0.5), (0.6, 0.7))
    bars = IntervalBar((0.3, 0.6), (thin, wide))
    assert bars.texts(11) == ["──━●━━━──  ", "    ─━●━───"]
    assert bars.title(11) == "0.00   1.00"
