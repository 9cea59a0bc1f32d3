#!/bin/sh
# SPDX-License-Identifier: MIT
# Without any driver there is nothing to build, and CMake says what to do. Each driver alone makes a
# library.
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
	configure $driver $none -DDBLOCK_$driver=ON || fail "$driver alone cannot be configured"
	cmake --build $driver --target dblock -j 2 >out 2>&1 || fail "$driver alone does not build"
done
