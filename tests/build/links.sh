#!/bin/sh
# SPDX-License-Identifier: MIT
# Every link of a document to something in this tree leads somewhere; so does each page docs/...
# that the code, its comments and the program's messages name.
set -eu
cd "$DBLOCK_SOURCE_DIR"
failed=0
found=0
for document in *.md docs/*/*.md docs/*/*/*.md bench/*.md; do
	targets=$(grep -oE '\]\([^) ]+\)' "$document" | sed 's/^](//; s/)$//; s/#.*//') || :
	for target in $targets; do
		case $target in
		*://* | '') continue ;;
		esac
		found=$((found + 1))
		if ! [ -e "${document%"${document##*/}"}$target" ]; then
			echo "links: $document: there is no $target" >&2
			failed=1
		fi
	done
done
if [ $found -eq 0 ]; then
	echo "links: no document has a link" >&2
	exit 1
fi
# ours OPTION...: runs grep on all that names pages.
ours()
{
	grep -r "$@" bench cmake docs examples include sql src tests ./*.md
}

pages=$(ours -hoE '\bdocs/[a-z0-9_/-]+\.md' | sort -u)
for page in ${pages:?links: nothing names a page}; do
	if ! [ -e "$page" ]; then
		echo "links: there is no $page; it is named in" >&2
		ours -lF "$page" >&2
		failed=1
	fi
done
exit $failed
