"""`python -m helpers.course COMMAND` is `course COMMAND`."""

from helpers.course.cli import main

raise SystemExit(main())
