"""Draw the packages of helpers/ on floors: `python -m tests.project.architecture`.

The contracts of import-linter in pyproject.toml say what may import what.
"""

from html import escape

import grimp
import networkx as nx

from tests.common import ROOT

PATH = ROOT / "docs" / "architecture.svg"
# Drawn apart from the rest of their package, which stands above them.
INNER = ("helpers.checks.engine", "helpers.course.settings")
WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 132, 30, 144, 42, 16
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1a1a1a; text-anchor: middle; }
.paper { fill: #ffffff; } rect { stroke: #767676; fill: #f3f3f3; }
.course rect { stroke: #0072b2; fill: #e6f1f8; } .checks rect { stroke: #009e73; fill: #e4f5ef; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f0f0; }
  .paper { fill: #0d1117; } rect { fill: #22272e; }
  .course rect { fill: #10304a; } .checks rect { fill: #0c3b2e; }
}"""


def packages() -> nx.DiGraph:
    """Return the graph of packages, with an edge to each that is imported."""
    modules = grimp.build_graph("helpers", cache_dir=None)
    names = {*modules.find_children("helpers"), *INNER}
    names |= {n for n in modules.find_children("helpers.course") if modules.find_children(n)}

    def package_of(module: str) -> str:
        return max((n for n in names if f"{module}.".startswith(f"{n}.")), key=len, default="")

    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    for module in modules.modules:
        for imported in modules.find_modules_directly_imported_by(module):
            importer, package = package_of(module), package_of(imported)
            if importer != package and importer and package:
                graph.add_edge(importer, package)
    return graph


def svg(graph: nx.DiGraph) -> str:
    """Return the picture: each package stands above all that it imports."""
    floors = [sorted(floor) for floor in nx.topological_generations(graph.reverse())]
    across = max(map(len, floors)) * ACROSS + 2 * MARGIN
    down = len(floors) * DOWN + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" role="img">',
        "<title>The packages of helpers/: each imports only from floors below its own</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{across}" height="{down}"/>',
    ]
    for floor, names in enumerate(reversed(floors)):
        top = MARGIN + floor * DOWN
        for place, name in enumerate(names):
            middle = across / 2 + (place - (len(names) - 1) / 2) * ACROSS
            imported = sorted(each.removeprefix("helpers.") for each in graph[name])
            label = name.removeprefix("helpers.")
            lines.append(
                f'<g class="{label.partition(".")[0]}">'
                f"<title>{escape(label)} imports {', '.join(imported) or 'nothing'}</title>"
                f'<rect x="{middle - WIDTH / 2:g}" y="{top}" width="{WIDTH}" height="{HEIGHT}"/>'
                f'<text x="{middle:g}" y="{top + 20}">{escape(label)}</text></g>'
            )
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PATH.write_text(svg(packages()), encoding="utf-8")
