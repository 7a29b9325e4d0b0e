"""What the engine itself finds wrong with an answer, as exceptions that a question may raise."""

from __future__ import annotations

from typing import ClassVar


class CheckError(Exception):
    """A finding of the check, not an error of the learner's code.

    Attributes:
        kind: what it is known by from then on; with a blank, so that no class has this name.
    """

    kind: ClassVar[str] = "finding of the check"


class ArgumentChangedError(CheckError):
    """An answer wrote into the argument that the text of this names."""

    kind = "argument changed"


class ResultFormError(CheckError):
    """What an answer returned has not the form that is asked for; the text says it in words."""

    kind = "form of the result"


class ResultChangedError(CheckError):
    """What an answer returned is no longer what it was, or a later call could change it."""

    kind = "result changed"


class SettingChangedError(CheckError):
    """An answer changed the setting of the whole process that the text of this names."""

    kind = "setting changed"
