#!/bin/sh
# Run a command as on a machine that lacks some programs: without.sh bwrap chromium -- make test
set -eu
hidden=
while [ "$1" != -- ]; do
    hidden="$hidden $1"
    shift
done
shift
path=$(mktemp -d)
trap 'rm -rf "$path"' EXIT
old_ifs=$IFS
IFS=:
for folder in $PATH; do # the first of a name counts, as in PATH itself
    for program in "$folder"/*; do
        [ -x "$program" ] && [ ! -e "$path/${program##*/}" ] && ln -s "$program" "$path/"
    done
done 2>/dev/null
IFS=$old_ifs
for name in $hidden; do
    rm -f "$path/$name" "$path/$name"-*
    ! PATH=$path command -v "$name" >/dev/null || { echo "$name is still there" >&2; exit 1; }
done
unset CI # where the tests insist on a sandbox
PATH=$path "$@"
