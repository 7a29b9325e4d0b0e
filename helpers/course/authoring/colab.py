"""What a notebook has for Colab: badges, and a first cell that installs the helpers there."""

from __future__ import annotations

from string import Template

from helpers.course.settings import Course

COLAB = Template(
    "https://colab.research.google.com/github/$owner/$repository/blob/$release"
    "/notebooks/$unit/$unit.ipynb"
)
BINDER = Template(
    "https://mybinder.org/v2/gh/$owner/$repository/$release"
    "?urlpath=lab/tree/notebooks/$unit/$unit.ipynb"
)
WHEEL = Template("https://github.com/$owner/$repository/releases/download/$release/$wheel")
UNPUBLISHED = """\
# Set-up: this checks that the course's helpers are there.
import importlib.util
import sys

if "google.colab" in sys.modules:
    raise RuntimeError("This copy has no published release for Colab to install from.")
elif importlib.util.find_spec("helpers") is None:
    raise ModuleNotFoundError("The helpers are missing: open this notebook with `make lab`.")"""
# pip is asked by way of IPython: its own %pip tells everybody to restart the kernel, which nobody
# has to. PyPI has another package named helpers.
PUBLISHED = Template("""\
# Set-up: on Colab this installs the course's helpers; elsewhere it checks that they are there.
import importlib.metadata
import importlib.util
import sys

TROUBLE = {  # words of pip's, and what to do; the first of these that it says decides
    "connection broken": "GitHub or PyPI gives no answer. Run this cell again in a minute.",
    " 404 ": "There is no release $release. Open the notebook by the badge in the course's README.",
    "HASHES": "What came is not release $release. Run this cell again, then ask your teacher.",
    "different Python": "The course needs another Python: Runtime > Change runtime type.",
    "No matching": "A package is not to be had for this Python: Runtime > Change runtime type.",
}


class SetUpError(Exception):
    def _render_traceback_(self):  # one line, in the place of Python's many
        return [str(self)]


def install(name, version, what):
    def there():
        importlib.invalidate_caches()
        return version in [each.version for each in importlib.metadata.distributions(name=name)]

    if not there():
        print("Installing", name, version)
        pip = f'"{sys.executable}" -m pip install -q --disable-pip-version-check --retries 1'
        said = get_ipython().getoutput(f"{pip} {what}")
        if not there():
            known = [TROUBLE[words] for words in TROUBLE if words in " ".join(said)]
            other = f"{name} is not installed. pip says: {(said or ['nothing'])[-1]}"
            raise SetUpError([*known, other][0])


if "google.colab" in sys.modules:
    install("order-matters", "$version", '"$address"')
    install("d2l", "1.0.3", "--no-deps d2l==1.0.3")
found = importlib.util.find_spec("helpers")
if found is None or found.origin is None:
    raise SetUpError("The helpers are missing: open this notebook with `make lab`.")
if not found.submodule_search_locations or not importlib.util.find_spec("helpers.encodings"):
    sys.modules.pop("helpers", None)
    raise SetUpError(f"{found.origin} is not our helpers. Rename it, then run this cell again.")""")


def badges(unit: str, course: Course) -> str:
    """The links that open a unit in Colab and in Binder, as the release has it."""
    return (
        "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
        f"({address(unit, course)}) "
        f"[![Open in Binder](https://mybinder.org/badge_logo.svg)]({binder(unit, course)})"
    )


def address(unit: str, course: Course) -> str:
    """Where Colab shows a unit of the release."""
    return COLAB.substitute(_names(course), unit=unit)


def binder(unit: str, course: Course) -> str:
    """Where Binder opens a unit of the release."""
    return BINDER.substitute(_names(course), unit=unit)


def set_up(course: Course) -> str:
    """The first code cell of every notebook."""
    if not course.published:
        return UNPUBLISHED
    version = course.wheel.split("-")[1]
    wheel = WHEEL.substitute(_names(course))
    return PUBLISHED.substitute(_names(course), version=version, address=wheel)


def _names(course: Course) -> dict[str, str]:
    return {
        "owner": course.owner,
        "repository": course.repository,
        "release": course.release,
        "wheel": course.wheel,
    }
