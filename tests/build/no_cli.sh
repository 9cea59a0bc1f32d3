#!/bin/sh
# SPDX-License-Identifier: MIT
# jansson is the program's: without it CMake says what to do, and -DDBLOCK_CLI=OFF makes and installs
# the library alone.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "no_cli: $*" >&2
	cat out >&2
	exit 1
}

# configure FOLDER [CMAKE_ARGS...]
configure()
{
	folder=$1
	shift
	cmake -S "$DBLOCK_SOURCE_DIR" -B "$folder" -DDBLOCK_POSTGRESQL=OFF -DDBLOCK_MYSQL=OFF \
		"$@" >out 2>&1
}

# refused TEXT FOLDER CMAKE_ARGS...: CMake fails, and says TEXT.
refused()
{
	text=$1
	shift
	if configure "$@"; then
		fail "was configured all the same, instead of: $text"
	fi
	tr -s ' \n' ' ' <out | grep -qF "$text" || fail "did not say: $text"
}

# A machine with SQLite and libmd, and without jansson.
mkdir pkgconfig
for package in sqlite3 libmd; do
	cp "$(pkg-config --variable=pcfiledir $package)/$package.pc" pkgconfig
done
export PKG_CONFIG_LIBDIR="$PWD/pkgconfig"
unset PKG_CONFIG_PATH

refused 'libjansson-dev); install it, or configure with -DDBLOCK_CLI=OFF' with -DDBLOCK_TESTS=OFF
refused 'the tests need the program' tests -DDBLOCK_CLI=OFF -DDBLOCK_TESTS=ON
configure alone -DDBLOCK_CLI=OFF -DDBLOCK_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug || fail "cannot be configured"
cmake --build alone -j 2 >out 2>&1 || fail "does not build"
cmake --install alone --prefix "$PWD/installed" >out 2>&1 || fail "cannot be installed"
find installed >out
for part in '/libdblock\.so$' '/libdblock\.a$' '/include/dblock/dblock\.h$' '/dblock\.pc$'; do
	grep -q "$part" out || fail "nothing like $part was installed"
done
for part in '/bin' '/man1' '/reaper'; do
	! grep -q "$part" out || fail "$part was installed, without the program"
done
