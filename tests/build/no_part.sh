#!/bin/sh
# SPDX-License-Identifier: MIT
# Parts can be left out. Without any driver there is nothing to build, and without jansson, which
# the program needs, no program: CMake says what to do. -DDBLOCK_CLI=OFF makes and installs the
# library alone, and each driver alone makes one: all in one folder, so that only what differs is
# compiled again, and not optimized, as the one with all drivers is.
set -eu
cd "$DBLOCK_TEST_TMP"
none='-DDBLOCK_SQLITE=OFF -DDBLOCK_POSTGRESQL=OFF -DDBLOCK_MYSQL=OFF'

fail()
{
	echo "no_part: $*" >&2
	cat out >&2
	exit 1
}

# configure FOLDER [CMAKE_ARGS...]
configure()
{
	folder=$1
	shift
	cmake -S "$DBLOCK_SOURCE_DIR" -B "$folder" "$@" >out 2>&1
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

# alone CMAKE_ARGS...: makes the library with one driver; all other settings stay as they were.
alone()
{
	# shellcheck disable=SC2086 # words
	configure alone -DDBLOCK_TESTS=OFF -DCMAKE_BUILD_TYPE=None $none "$@" ||
		fail "$* alone cannot be configured"
}

without_any_driver()
{
	# shellcheck disable=SC2086 # words
	refused 'no database driver can be built; install the development files of SQLite (libsqlite3-dev)' \
		none -DDBLOCK_TESTS=OFF $none
	export PKG_CONFIG_LIBDIR="$PWD/nowhere"
	refused 'no database driver can be built' nothing_found -DDBLOCK_TESTS=OFF
	refused 'DBLOCK_MYSQL=ON, but pkg-config finds none of: mysqlclient;libmariadb' on \
		-DDBLOCK_TESTS=OFF -DDBLOCK_MYSQL=ON
	unset PKG_CONFIG_LIBDIR
}

# Runs as if on a machine with SQLite and nettle, and without jansson.
without_the_program()
{
	mkdir pkgconfig
	for package in sqlite3 nettle; do
		cp "$(pkg-config --variable=pcfiledir $package)/$package.pc" pkgconfig
	done
	export PKG_CONFIG_LIBDIR="$PWD/pkgconfig"
	refused 'libjansson-dev); install it, or configure with -DDBLOCK_CLI=OFF' with \
		-DDBLOCK_POSTGRESQL=OFF -DDBLOCK_MYSQL=OFF -DDBLOCK_TESTS=OFF
	refused 'the tests need the program' tests \
		-DDBLOCK_POSTGRESQL=OFF -DDBLOCK_MYSQL=OFF -DDBLOCK_CLI=OFF -DDBLOCK_TESTS=ON
	alone -DDBLOCK_SQLITE=ON -DDBLOCK_CLI=OFF
	# A compiler of another year warns of other things, so warnings are no errors by default.
	grep -qx 'DBLOCK_WERROR:BOOL=OFF' alone/CMakeCache.txt || fail "warnings are errors by default"
	cmake --build alone -j 2 >out 2>&1 || fail "the library alone does not build"
	cmake --install alone --prefix "$PWD/installed" >out 2>&1 || fail "cannot be installed"
	find installed ! -type d >out
	for part in '/libdblock\.so$' '/libdblock\.a$' '/include/dblock/dblock\.h$' '/dblock\.pc$'; do
		grep -q "$part" out || fail "nothing like $part was installed"
	done
	for part in '/bin/' '/man1/' '/reaper/'; do
		! grep -q "$part" out || fail "$part was installed, without the program"
	done
	unset PKG_CONFIG_LIBDIR
}

# needs DRIVER: the library needs that client library, and no other one.
needs()
{
	readelf -d alone/src/libdblock.so | grep -E 'lib(sqlite3|pq|mariadb|mysqlclient)' >out || :
	case $1-$(cat out) in
	SQLITE-*libsqlite3* | POSTGRESQL-*libpq* | MYSQL-*lib*mariadb* | MYSQL-*libmysql*) ;;
	*) fail "$1 alone does not need its client library" ;;
	esac
	[ "$(wc -l <out)" = 1 ] || fail "$1 alone needs another client library as well"
}

unset PKG_CONFIG_PATH
without_any_driver
without_the_program
for driver in SQLITE POSTGRESQL MYSQL; do
	alone -DDBLOCK_$driver=ON -DDBLOCK_CLI=ON
	rm -f alone/src/libdblock.so*
	cmake --build alone --target dblock -j 2 >out 2>&1 || fail "$driver alone does not build"
	[ -e alone/src/libdblock.so ] || fail "$driver alone makes no library"
	needs $driver
done
