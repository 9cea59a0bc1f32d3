#!/bin/sh
# SPDX-License-Identifier: MIT
# Each page docs/... that the code, its comments and the program's messages name is there. (Links between
# documents: tests/lint/check/links.)
set -eu
cd "$DBLOCK_SOURCE_DIR"
failed=0
# ours OPTION...: runs grep on all that names pages.
ours()
{
	grep -r --exclude-dir=lint "$@" bench bindings cmake docs examples include sql src tests ./*.md
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
