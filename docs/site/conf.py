# SPDX-License-Identifier: MIT
"""How Sphinx makes HTML of what docs/site/gather has gathered."""
project = "dblock"
html_title = "dblock"
root_doc = "index"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_heading_anchors = 4  # named as code hosts name them
suppress_warnings = [
    "myst.header",  # headings may go deeper by two
    "misc.highlighting_failure",  # no lexer of SQL knows it all
]
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "github-dark"
smartquotes = False
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
