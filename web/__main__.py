"""Build the site: python -m web [OUT], by default into build/site."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sphinx.cmd.build import build_main

from helpers.course import settings
from web import content, finishing

HERE = Path(__file__).parent
DEFAULT = HERE.parent / "build" / "site"


MARK = ".nojekyll"  # GitHub Pages would leave out folders that begin with _


def build(out: Path) -> int:
    """Write the site into `out`, in place of an earlier one; Sphinx's exit code.

    Raises:
        SystemExit: `out` holds something else, which would be lost.
    """
    if out.exists() and not (out.is_dir() and ((out / MARK).exists() or not any(out.iterdir()))):
        raise SystemExit(f"{out} holds something else than the site: name an empty folder")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / MARK).touch()
    with TemporaryDirectory() as folder:
        pages = Path(folder) / "pages"
        content.write(settings.find(HERE), pages, out)
        options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(HERE)]
        options += ["-d", f"{folder}/doctrees"]
        code = build_main([*options, str(pages), str(out)])
    finishing.finish(out)
    return code


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if sys.argv[1:] else DEFAULT))
