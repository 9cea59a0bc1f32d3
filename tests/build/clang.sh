#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything compiles with clang, too, without a warning. A test, so that it does so while others
# wait; not optimized, as no warning of clang's depends on that.
set -eu
folder=$DBLOCK_BUILD_DIR/with-clang

cmake -S "$DBLOCK_SOURCE_DIR" -B "$folder" -DDBLOCK_TESTS=ON -DCMAKE_C_COMPILER=clang \
	-DCMAKE_BUILD_TYPE=Debug >"$DBLOCK_TEST_TMP/out" 2>&1 || {
	cat "$DBLOCK_TEST_TMP/out" >&2
	exit 1
}
cmake --build "$folder" -j 1 >"$DBLOCK_TEST_TMP/out" 2>&1 || {
	grep -v '^\[[0-9]*/[0-9]*\] [BL]' "$DBLOCK_TEST_TMP/out" >&2
	exit 1
}
