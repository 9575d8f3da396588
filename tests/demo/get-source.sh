#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# get-source.sh DEST - unpack Debian's lz4 source package as DEST/lz4-src.
#
# The deb-src list is made from the package sources this machine already
# uses.  It lives under DEST/apt together with its index files, so the
# system's apt configuration and lists stay as they are; no root needed.
# Exit status: 0 done (or was done before), 1 broken setup, 2 usage,
# 3 the source cannot be had (no network, no such version in the archive).
set -eu

# The patch stack is made for this version and no other.
version=1.9.4-1

[ $# -eq 1 ] || { echo "usage: ${0##*/} DEST" >&2; exit 2; }
mkdir -p "$1"
dest=$(cd "$1" && pwd)
[ ! -d "$dest/lz4-src" ] || exit 0

for tool in apt-get dpkg-source; do
	command -v "$tool" >/dev/null || {
		echo "${0##*/}: $tool not found; install the packages apt and dpkg-dev" >&2
		exit 1
	}
done

apt=$dest/apt
rm -rf "$apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/unpack"

# The suites in use: "URI suite file:entry".  Index targets name their origin
# only where the lists have been fetched; on a machine without lists (a fresh
# container) every main component will do, the version picks the right one.
suites() {
	# shellcheck disable=SC2016 # these are apt's variables, not the shell's
	apt-get indextargets "$@" \
		--format '$(ORIGIN)|$(COMPONENT)|$(CREATED_BY)|$(REPO_URI)|$(RELEASE)|$(SOURCESENTRY)' |
	awk -F'|' '($1 == "Debian" || $1 ~ /ORIGIN/) && $2 == "main" && $3 == "Packages" &&
		$5 !~ /-(updates|security|backports)/ && !seen[$4 $5]++ { print $4, $5, $6 }'
}
list=$(suites)
[ -n "$list" ] || list=$(suites --no-release-info)
[ -n "$list" ] || {
	echo "${0##*/}: no Debian main suite among this machine's package sources" >&2
	exit 3
}

# Index targets do not tell the key, so look it up in the entry itself: the
# Signed-By field of the stanza with this URI (it may hold a whole key), or
# signed-by= of the line.
signed_by() { # URI FILE
	case $2 in
	*.sources)
		awk -v uri="${1%/}" '
			function flush() { if (hit && key != "" && !done) { printf "%s", key; done = 1 } hit = 0; key = ""; inkey = 0 }
			/^[ \t]*$/ { flush(); next }
			/^#/ { next }
			/^[^ \t]/ { inkey = tolower($0) ~ /^signed-by:/; inuri = tolower($0) ~ /^uris:/ }
			inkey { key = key $0 "\n" }
			inuri { for (i = 1; i <= NF; i++) { u = $i; sub(/\/$/, "", u); if (u == uri) hit = 1 } }
			END { flush() }' "$2" ;;
	*)
		sed -n "\\|${1%/}|s/^deb[^[]*\\[.*signed-by=\\([^] ]*\\).*/Signed-By: \\1/p" "$2" |
			tr ',' ' ' | head -n 1 ;;
	esac
}

echo "$list" | while read -r uri suite entry; do
	printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$uri" "$suite"
	signed_by "$uri" "${entry%:*}"
	echo
done >"$apt/demo.sources"

# Read with -c, i.e. after the system's own settings (a proxy is kept).  The
# update hooks go: they would act on the system's caches.
cat >"$apt/apt.conf" <<END
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::Cache "$apt/cache";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
END
apt_get() {
	apt-get -c "$apt/apt.conf" -o Dir::Etc::sourcelist="$apt/demo.sources" \
		-o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists" -qq "$@"
}

# Whether apt-get update worked is told by what it fetched, not by its exit
# status (0 without a network, too).  As root it may also warn that its sandbox
# user cannot enter DEST; the log is shown only when something went wrong.
fail() { cat "$apt/log" >&2; echo "${0##*/}: $*" >&2; exit 3; }
apt_get update >"$apt/log" 2>&1 || :
set -- "$apt"/lists/*Sources*
[ -e "$1" ] ||
	fail "no network? The Debian archive that apt uses here could not be read; the demo needs the source package lz4 $version from it."
(cd "$apt/unpack" && apt_get source --only-source "lz4=$version") >"$apt/log" 2>&1 ||
	fail "the Debian archive was read, but the source package lz4 $version could not be fetched and unpacked."
mv "$apt/unpack/lz4-${version%-*}" "$dest/lz4-src"
rm -rf "$apt/lists" "$apt/cache" "$apt/unpack"	# 20 MB of index, no longer needed
