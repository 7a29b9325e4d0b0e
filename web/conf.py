"""Settings of Sphinx; `python -m web` writes the pages that it reads."""

project = "Order Matters"
author = "the authors of Order Matters"
copyright = "Text and figures: CC BY 4.0; code: MIT"
extensions = ["myst_parser", "web.mathml", "web.search"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3  # links to #sections, as GitHub has them
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/icon.svg"
html_copy_source = html_show_sourcelink = html_use_index = False
html_permalinks_icon = "#"
html_theme_options = {
    "navbar_align": "left",
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "search_bar_text": "Search all units",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars: dict[str, list[str]] = {"index": [], "claims": [], "glossary": [], "search": []}
html_context = {"default_mode": "auto"}
