#!/bin/sh
# SPDX-License-Identifier: MIT
# `./dev test` builds and runs the same whatever the folder was used for before: the demo, or a
# build of somebody's own. All is real but the compiling and the running.
set -eu
real_cmake=$(command -v cmake)
real_ctest=$(command -v ctest)
export real_cmake real_ctest
tree=$DBLOCK_TEST_TMP/tree
mkdir "$DBLOCK_TEST_TMP/bin" "$tree"
for part in "$DBLOCK_SOURCE_DIR"/*; do
	case $part in
	*/build* | */dev) ;;
	*) ln -s "$part" "$tree" ;;
	esac
done
cp "$DBLOCK_SOURCE_DIR/dev" "$tree"

fail()
{
	echo "dev_orders: $*" >&2
	cat "$DBLOCK_TEST_TMP/log" >&2
	exit 1
}

cat >"$DBLOCK_TEST_TMP/bin/cmake" <<'END'
#!/bin/sh
[ "$1" = --build ] || exec "$real_cmake" "$@"
mkdir -p build/examples && cp /bin/true build/examples/red_packet
END
cat >"$DBLOCK_TEST_TMP/bin/ctest" <<'END'
#!/bin/sh
exec "$real_ctest" --test-dir build -N
END
chmod 755 "$DBLOCK_TEST_TMP/bin"/*

dev()
{
	PATH=$DBLOCK_TEST_TMP/bin:$PATH TMPDIR=$DBLOCK_TEST_TMP "$tree/dev" "$@" \
		>"$DBLOCK_TEST_TMP/log" 2>&1 || fail "./dev $* failed"
}

# Prints the tests that it would run, and how all is built.
tests_of()
{
	dev test unit
	sed -n 's/^ *Test *#[0-9]*: //p' "$DBLOCK_TEST_TMP/log"
	grep -E '^(DBLOCK_[A-Z]*|CMAKE_BUILD_TYPE):' "$tree/build/CMakeCache.txt"
}

# same_as_fresh AFTER
same_as_fresh()
{
	tests_of >"$DBLOCK_TEST_TMP/now"
	diff "$DBLOCK_TEST_TMP/fresh" "$DBLOCK_TEST_TMP/now" >"$DBLOCK_TEST_TMP/log" ||
		fail "after $1, ./dev test is another than in a fresh clone:"
}

tests_of >"$DBLOCK_TEST_TMP/fresh"
grep -qx 'build.bench_smoke' "$DBLOCK_TEST_TMP/fresh" || fail "no test of the bench in a fresh clone"
# Each of these runs adds to what the folder knows; the next must not see it.
rm -r "$tree/build"
dev demo
cmake -S "$tree" -B "$tree/build" -DCMAKE_BUILD_TYPE=Release -DDBLOCK_TESTS=OFF -DDBLOCK_MYSQL=OFF \
	-DDBLOCK_CLI=OFF >"$DBLOCK_TEST_TMP/log" 2>&1 || fail "the library alone cannot be configured"
dev demo
same_as_fresh "a demo, a build of the library alone, and a demo of that"
