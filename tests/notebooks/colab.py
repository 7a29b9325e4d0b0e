"""Do published notebooks run where Colab's versions are? Needs the internet, and no Colab.

`python -m tests.notebooks.colab 00-start-here 02-sinusoidal` makes an environment with the IPython,
kernel and widgets that Colab has, publishes the course on a server of this machine, and runs the
solutions of these units there: the set-up cell has to install the helpers. PyTorch and the rest are
those of this environment. Colab's own modules, its page and its storage are not there.
"""

import dataclasses
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager

from helpers.course import settings
from helpers.course.authoring import build
from helpers.course.settings import Course
from tests.common import named, wheel
from tests.notebooks import smoke
from tests.web.figures import hosting

VERSIONS = ("ipython==7.34.0", "ipykernel==6.17.1", "ipywidgets==7.7.1", "setuptools")
VERSION = "import IPython, ipywidgets; print(IPython.__version__, ipywidgets.__version__)"


def runtime(folder: Path) -> Path:
    """An environment with Colab's versions, and of all others those of this one; its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q"]
    subprocess.run([*pip, "--disable-pip-version-check", *VERSIONS], check=True)
    (site,) = folder.glob("lib/*/site-packages")
    (site / "google" / "colab").mkdir(parents=True)
    (site / "google" / "colab" / "__init__.py").write_text('"""Stands in for Colab\'s."""\n')
    rest = folder / "rest"
    rest.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.name != "helpers" and not path.name.startswith("order_matters"):
            (rest / path.name).symlink_to(path)
    # Colab's kernel has its modules from its start. A path in such a file comes after this folder.
    (site / "rest.pth").write_text(f"{rest}\nimport google.colab\n")
    return python


def published(course: Course, folder: Path) -> Course:
    """The course with a release in FOLDER, as GitHub would serve it."""
    place = folder / "someone" / "order-matters" / "releases" / "download" / "v1"
    place.mkdir(parents=True)
    packed = named(wheel(course.root, place))
    return dataclasses.replace(
        course, owner="someone", repository="order-matters", release="v1", wheel=packed
    )


def main(units: list[str]) -> int:
    """Run these units, or the first one; 0 where all points are earned."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        python = runtime(folder / "runtime")
        subprocess.run([python, "-c", VERSION], check=True)
        course = published(settings.find(), folder / "site")
        wrong = []
        with hosting(folder / "site") as address:
            for unit in units or ["00-start-here"]:
                notebook = build.make(course, unit, folder / "made").solution
                text = nbformat.writes(notebook)
                text = text.replace("https://github.com/someone", f"{address}/someone")
                manager = KernelManager(kernel_name="python3")
                assert manager.kernel_spec is not None
                manager.kernel_spec.argv[0] = str(python)
                wrong += smoke.lost(unit, nbformat.reads(text, as_version=4), "dry", km=manager)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
