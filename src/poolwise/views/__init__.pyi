from .paper_layout import paper_table as paper_table
from .plots.plotting import PLOTS as PLOTS
from .plots.plotting import plot as plot
from .plots.plotting import save_plot as save_plot
from .report.chart_style import load_altair as load_altair
from .report.page import SECTIONS as SECTIONS
from .report.page import html_page as html_page
from .trec_eval.lines import trec_eval_lines as trec_eval_lines
