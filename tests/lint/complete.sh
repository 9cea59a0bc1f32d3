#!/bin/sh
# SPDX-License-Identifier: MIT
# Each check has its planted failure, and the runner fails with any of them.
set -eu
cd "$DBLOCK_SOURCE_DIR/tests/lint"

for check in check/*; do
	name=${check##*/}
	grep -q "^	*caught $name " "$name.sh" || {
		echo "$check: no planted failure in tests/lint/$name.sh" >&2
		exit 1
	}
done

# A copy of the runner over two checks, of which the second fails.
copy=$DBLOCK_TEST_TMP/tests/lint
mkdir -p "$copy/check"
cp run "$copy/"
printf '#!/bin/sh\n' >"$copy/check/a"
printf '#!/bin/sh\nexit 1\n' >"$copy/check/b"
chmod +x "$copy/check/a" "$copy/check/b"
"$copy/run" a >/dev/null
if "$copy/run" >"$DBLOCK_TEST_TMP/out"; then
	echo "the runner passed a failing check" >&2
	exit 1
fi
grep -qx 'lint: failed: b' "$DBLOCK_TEST_TMP/out"
