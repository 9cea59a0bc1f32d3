#!/bin/sh
# SPDX-License-Identifier: MIT
# The C++ headers and their tests (tests/cpp) compile with each compiler that is there, as C++17, 20 and
# 23, without a warning, and say the same on SQLite. Each time it is one program, which is much quicker to
# compile than all of them.
set -eu
cd "$DBLOCK_TEST_TMP"
export LD_LIBRARY_PATH="$DBLOCK_BUILD_DIR/src"
export DBLOCK_TEST_DATABASE=sqlite DBLOCK_TEST_BACKEND=sqlite

fail()
{
	echo "cplusplus_standards: $*" >&2
	exit 1
}

for file in "$DBLOCK_SOURCE_DIR"/tests/cpp/*.cpp; do
	echo "#include \"cpp/${file##*/}\""
done >all.cpp

# The second one of each is what a newer compiler calls it.
standard()
{
	case $1-$2 in
	*-23) "$1" -std=c++23 -fsyntax-only -x c++ /dev/null 2>/dev/null && echo c++23 || echo c++2b ;;
	*) echo "c++$2" ;;
	esac
}

n=0
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for year in 17 20 23; do
		as=$(standard $compiler $year)
		$compiler -std="$as" -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
			-Woverloaded-virtual -Wnon-virtual-dtor -Werror -o all all.cpp \
			-I "$DBLOCK_SOURCE_DIR/tests" -I "$DBLOCK_SOURCE_DIR/include" \
			-I "$DBLOCK_BUILD_DIR/include" -L "$DBLOCK_BUILD_DIR/src" -ldblock -pthread ||
			fail "not with $compiler as $as"
		DBLOCK_TEST_URL="sqlite:$compiler-$year.db" ./all >out || fail "$compiler as $as: $(cat out)"
		grep -c '^ok: ' out >"said.$compiler.$year"
		n=$((n + 1))
	done
done
[ $n -gt 0 ] || fail "there is no C++ compiler"

# C++20 has more of them: those of the stop tokens.
for said in said.*.17; do
	[ "$(cat "$said")" -lt "$(cat "${said%17}20")" ] || fail "there is no test for C++20 alone"
	cmp "${said%17}20" "${said%17}23"
done
