#!/bin/sh
# SPDX-License-Identifier: MIT
# Without any driver there is nothing to build, and CMake says what to do. Each driver alone makes a
# library: in one folder, so that only what differs is compiled thrice, and not optimized, as the one
# with all drivers is.
set -eu
cd "$DBLOCK_TEST_TMP"

fail()
{
	echo "no_driver: $*" >&2
	cat out >&2
	exit 1
}

# configure FOLDER [CMAKE_ARGS...]
configure()
{
	folder=$1
	shift
	cmake -S "$DBLOCK_SOURCE_DIR" -B "$folder" -DDBLOCK_TESTS=OFF "$@" >out 2>&1
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

none='-DDBLOCK_SQLITE=OFF -DDBLOCK_POSTGRESQL=OFF -DDBLOCK_MYSQL=OFF'

# shellcheck disable=SC2086 # words
refused 'no database driver can be built; install the development files of SQLite (libsqlite3-dev)' \
	none $none
export PKG_CONFIG_LIBDIR="$PWD/nowhere"
refused 'no database driver can be built' nothing_found
refused 'DBLOCK_MYSQL=ON, but pkg-config finds none of: mysqlclient;libmariadb' on -DDBLOCK_MYSQL=ON
unset PKG_CONFIG_LIBDIR

for driver in SQLITE POSTGRESQL MYSQL; do
	# shellcheck disable=SC2086 # words
	configure alone $none -DDBLOCK_$driver=ON -DCMAKE_BUILD_TYPE=Debug ||
		fail "$driver alone cannot be configured"
	rm -f alone/src/libdblock.so*
	cmake --build alone --target dblock -j 2 >out 2>&1 || fail "$driver alone does not build"
	[ -e alone/src/libdblock.so ] || fail "$driver alone makes no library"
	case $driver-$(readelf -d alone/src/libdblock.so) in
	SQLITE-*libsqlite3* | POSTGRESQL-*libpq* | MYSQL-*lib*mariadb* | MYSQL-*libmysql*) ;;
	*) fail "$driver alone does not need its client library" ;;
	esac
	case $(readelf -d alone/src/libdblock.so | grep -cE 'lib(sqlite3|pq|mariadb|mysqlclient)') in
	1) ;;
	*) fail "$driver alone needs another client library as well" ;;
	esac
done
