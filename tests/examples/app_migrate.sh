#!/bin/sh
# SPDX-License-Identifier: MIT
# Ten copies of an application start at once: each of its migrations is applied once, and all of them
# are ready in the end.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "app_migrate: $*" >&2
	cat out.* >&2
	exit 1
}

pids=''
for i in 0 1 2 3 4 5 6 7 8 9; do
	"$DBLOCK_BUILD_DIR/examples/app_migrate" "$DBLOCK_TEST_URL" >"out.$i" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || fail "exit code $?"
done
for i in 0 1 2 3 4 5 6 7 8 9; do
	[ "$(tail -n 1 "out.$i")" = ready ] || fail "copy $i is not ready"
done
[ "$(cat out.* | grep applied | sort | tr '\n' ,)" = \
	"applied 0001_customer,applied 0002_first_customer,applied 0003_email," ] ||
	fail "not each one once"

# The files are the same as what was embedded.
dblock -u "$DBLOCK_TEST_URL" migrate status --check --dir "$DBLOCK_SOURCE_DIR/examples/app_migrate" ||
	fail "the files and the database differ"

# A copy that starts later has nothing to do.
[ "$("$DBLOCK_BUILD_DIR/examples/app_migrate" "$DBLOCK_TEST_URL")" = ready ] || fail "not ready at once"
