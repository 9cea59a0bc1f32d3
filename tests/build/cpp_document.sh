#!/bin/sh
# SPDX-License-Identifier: MIT
# The C++ of docs/user/cpp.md compiles, as it stands there, with all warnings.
set -eu
cd "$DBLOCK_TEST_TMP"

awk '/^```/ { inside = $0 == "```cpp"; next } inside' "$DBLOCK_SOURCE_DIR/docs/user/cpp.md" >page.cpp
[ "$(grep -c '^void ' page.cpp)" -ge 3 ] || {
	echo "cpp_document: docs/user/cpp.md has lost its examples" >&2
	exit 1
}
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	$compiler -std=c++20 -Wall -Wextra -Wpedantic -Werror -c -o page.o page.cpp \
		-I "$DBLOCK_SOURCE_DIR/include" -I "$DBLOCK_BUILD_DIR/include"
done
[ -s page.o ]
