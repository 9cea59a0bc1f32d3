#!/bin/sh
# SPDX-License-Identifier: MIT
# The README fits on two screens. Its C example is taken from there, compiled with all warnings, and run twice.
set -eu
cd "$DBLOCK_TEST_TMP"
export LD_LIBRARY_PATH="$DBLOCK_BUILD_DIR/src"

fail()
{
	echo "readme_example: $*" >&2
	exit 1
}

lines=$(wc -l <"$DBLOCK_SOURCE_DIR/README.md")
[ "$lines" -le 100 ] || fail "README.md has $lines lines: what is more than 100 belongs to docs/"

awk '/^```/ { if (inside) exit; inside = $0 == "```c"; next } inside' \
	"$DBLOCK_SOURCE_DIR/README.md" >example.c
lines=$(wc -l <example.c)
[ "$lines" -gt 10 ] || fail "README.md has no C example"
[ "$lines" -le 20 ] || fail "the C example of README.md has $lines lines: it is to be short"

"${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -o example example.c \
	-I "$DBLOCK_SOURCE_DIR/include" -I "$DBLOCK_BUILD_DIR/include" \
	-L "$DBLOCK_BUILD_DIR/src" -ldblock

token()
{
	./example | sed -n 's/^Mine, with token \([0-9]*\)\.$/\1/p'
}

first=$(token)
second=$(token)
[ -n "$first" ] || fail "it did not say its token"
[ "$second" -gt "$first" ] || fail "the token went from $first to $second"

# It also says why the lock cannot be had.
dblock -u sqlite:app.db acquire nightly --lease 1m >/dev/null
if timeout 1 ./example >out 2>&1 || [ $? -ne 124 ]; then
	fail "it does not wait for who holds the lock: $(cat out)"
fi
