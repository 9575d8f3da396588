#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make-repo.sh SRC REPO - make the git repository REPO of the demo: branch
# main is the unpacked source package SRC (with Debian's patches, as
# dpkg-source leaves it), branch topic/stack adds the patches in stack/.
#
# Names and dates are fixed, so the commit ids are the same everywhere.  Does
# nothing when REPO is there already.
set -eu

[ $# -eq 2 ] || { echo "usage: ${0##*/} SRC REPO" >&2; exit 2; }
stack=$(cd "$(dirname "$0")/stack" && pwd)
src=$(cd "$1" && pwd)
repo=${2%/}
[ ! -d "$repo/.git" ] || exit 0

# The user's git settings (signing, hooks, line ends) must not matter.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C TZ=UTC
export GIT_AUTHOR_NAME='Demo Author' GIT_AUTHOR_EMAIL='author@example.org'
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
export GIT_AUTHOR_DATE='2023-06-01T12:00:00+0000'
export GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"

# Work beside REPO and rename at the end: a broken run leaves no half REPO.
tmp=$repo.tmp
rm -rf "$tmp"
mkdir -p "$tmp"
git init -q -b main "$tmp"
# .pc is quilt's scratch directory, not source.
(cd "$src" && tar -cf - --exclude=./.pc .) | (cd "$tmp" && tar -xf - --no-same-owner)
cd "$tmp"
# -f: the source's .gitignore must not leave anything out.  Line ends are
# converted as the source's .gitattributes say, so clones are clean.
git add -A -f
git commit -q -m 'Import lz4 1.9.4-1 from Debian

The unpacked source package, with the patches of debian/patches applied.'
git checkout -q -b topic/stack
git am -q --committer-date-is-author-date "$stack"/[0-9]*.patch
cd - >/dev/null
[ ! -d "$repo" ] || rmdir "$repo"	# an empty one may be there
mv "$tmp" "$repo"
