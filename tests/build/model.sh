#!/bin/sh
# SPDX-License-Identifier: MIT
# The model of death by the kernel's word holds, in all orders of all that may happen; and does not with any of
# the bugs that can be planted in it.
set -eu
model=$DBLOCK_SOURCE_DIR/tests/model/liveness.pml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# errors_with MACRO...: prints how many errors Spin finds, with these set.
errors_with()
{
	flags=
	for macro; do
		flags="$flags -D$macro"
	done
	# shellcheck disable=SC2086 # words
	spin -a $flags "$model" >spin.out
	"${CC:-cc}" -O1 -DSAFETY -o pan pan.c
	./pan -m100000 -n >pan.out
	if grep -q "max search depth too small" pan.out; then
		echo "too deep"
		return
	fi
	sed -n 's/.*errors: //p' pan.out
}

failed=0
for right in '' COPIES; do
	if [ "$(errors_with $right)" != 0 ]; then
		echo "model: ${right:-as it is}: it does not hold" >&2
		failed=1
	fi
done
for bug in BUG_ABSENT BUG_BLIND BUG_KEEPER_ALONE BUG_EARLY 'COPIES BUG_COPY'; do
	# shellcheck disable=SC2086 # words
	if [ "$(errors_with $bug)" = 0 ]; then
		echo "model: $bug is not found" >&2
		failed=1
	fi
done
exit $failed
