"""The tool that builds, releases and grades the course; nothing above imports it."""

import sys

# jsonschema imports it, where it is installed, for one format of text that no notebook has, and it
# takes longer to import than PyTorch.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
