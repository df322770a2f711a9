"""How the pages are made: nothing is executed, nothing comes from the web."""

import os

project = "Where is this word? A course on positional encoding"
copyright = "the authors; text and figures CC BY 4.0, code MIT"
extensions = ["myst_nb", "sphinx.ext.mathjax"]
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
mathjax_path = "mathjax/tex-chtml-full.js"
html_theme = "sphinx_book_theme"
html_title = "Where is this word?"
html_static_path = ["_static"]
html_css_files = ["sliders.css", "page.css"]
html_js_files = [("page.js", {"defer": "defer"})]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
html_theme_options = {"use_download_button": True, "show_toc_level": 2, "home_page_in_toc": True}
if repository := os.environ.get("COURSE_REPOSITORY"):               # https://github.com/OWNER/NAME: a Binder button, and links to the source
    html_theme_options |= {"repository_url": repository, "use_repository_button": True, "path_to_docs": "notebooks",
                           "launch_buttons": {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}}
suppress_warnings = ["myst.xref_missing", "mystnb.unknown_mime_type", "myst.header"]
