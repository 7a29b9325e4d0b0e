#!/bin/sh
# Write requirements.lock: what pip chooses for every extra in an environment of its own.
set -eu
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
"$1" -m venv "$venv"
pip="$venv/bin/python -m pip --disable-pip-version-check"
$pip install --quiet 'torch==2.13.0' 'hatchling' 'editables'
$pip install --quiet --no-build-isolation '.[lab,grading,site,test]'
{
    echo "# Every version exact; made by: make lock"
    # A local build's tag (+cpu) names one machine's file, not the version.
    $pip freeze --exclude order-matters --exclude pip --exclude setuptools | sed 's/+cpu$//'
} >requirements.lock
