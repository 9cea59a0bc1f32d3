#!/bin/sh
# SPDX-License-Identifier: MIT
# What is shipped (library, program, examples) compiles with clang, too, without a warning. It stops
# where a warning can come no more: no code is made, so that nothing can be linked. The tests are left
# out: they would be two thirds of the time (./dev test clang compiles them, links and runs all). An empty file stands for each object and library, and for each program
# the one that is built already: an example's source is made with it.
set -eu
folder=$DBLOCK_BUILD_DIR/with-clang
check='<CMAKE_C_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>'
# (The command that links is not run by a shell if the build is make's.)
empty='touch <TARGET>'
program="ln -sf $DBLOCK_BUILD_DIR/src/cli/dblock <TARGET>"

cmake -S "$DBLOCK_SOURCE_DIR" -B "$folder" -DDBLOCK_TESTS=OFF -DDBLOCK_WERROR=ON -DCMAKE_C_COMPILER=clang \
	-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILE_OBJECT="$check && : ><OBJECT>" \
	-DCMAKE_C_LINK_EXECUTABLE="$program" -DCMAKE_C_CREATE_SHARED_LIBRARY="$empty" \
	-DCMAKE_C_ARCHIVE_CREATE="$empty" -DCMAKE_C_ARCHIVE_FINISH= \
	>"$DBLOCK_TEST_TMP/out" 2>&1 || {
	cat "$DBLOCK_TEST_TMP/out" >&2
	exit 1
}
cmake --build "$folder" -j 1 >"$DBLOCK_TEST_TMP/out" 2>&1 || {
	grep -v '^\[ *[0-9]*[/%][0-9]*\] [BL]' "$DBLOCK_TEST_TMP/out" >&2
	exit 1
}
