#!/bin/sh
# SPDX-License-Identifier: MIT
# Every link of a document to something in this tree leads somewhere.
set -eu
cd "$DBLOCK_SOURCE_DIR"
failed=0
found=0
for document in *.md docs/*.md; do
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
exit $failed
