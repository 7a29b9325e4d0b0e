#!/bin/sh
# Make the environment in $1 from the lock files; each way to fail says what to do.
set -eu
venv=$1
python=${PYTHON:-python3}

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "There is no $python. Install Python 3.11 or newer, or name one: make demo PYTHON=python3.12"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version) is too old; the course needs 3.11 or newer: make demo PYTHON=python3.12"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python has no venv module. On Debian and Ubuntu: apt install python3-venv"

echo "Installing into $venv; the first time this takes a few minutes."
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
pip="$venv/bin/python -m pip --disable-pip-version-check"
missing="The packages could not be installed (see above). Is there internet and disk space?
What is there stays; run the same command again to go on."
# shellcheck disable=SC2086  # PIP_FLAGS is a list of words
{
    $pip install --quiet ${PIP_FLAGS:-} -r requirements.lock || fail "$missing"
    # The book's library asks for old versions of everything, and needs none of them here.
    $pip install --quiet ${PIP_FLAGS:-} --no-deps -r requirements-no-deps.lock || fail "$missing"
    $pip install --quiet --no-deps --no-build-isolation --editable . || fail "$missing"
}
