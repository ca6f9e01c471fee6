"""Settings of the site: ``make docs`` builds it, and warnings are errors."""

import sys
from pathlib import Path

import poolwise

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "poolwise"
author = "The poolwise developers"
copyright = author  # noqa: A001 -- the name that Sphinx reads
release = poolwise.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_click",
    "mathml",
    "generated_pages",
]
exclude_patterns = ["_build", "figures/README.md"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3

# Notebooks run when the site is built; a cell that fails ends the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_render_markdown_format = "gfm"

napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": False}
python_use_unqualified_type_names = True

# A word of a type, as “systems” in “tuple of systems”, is also the name of attributes.
suppress_warnings = ["ref.python"]

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "poolwise"
html_static_path = ["_static"]
html_css_files = ["poolwise.css"]
html_search_scorer = str(HERE / "search_scorer.js")
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
