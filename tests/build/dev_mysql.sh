#!/bin/sh
# SPDX-License-Identifier: MIT
# If MySQL cannot be had, `./dev test` fails, and says so last, unless that was wanted. Nothing is
# built or run here, and nothing fetched.
set -eu
tree=$DBLOCK_TEST_TMP/tree
mkdir "$DBLOCK_TEST_TMP/bin" "$tree"
ln -s "$DBLOCK_SOURCE_DIR/tests" "$tree"
cp "$DBLOCK_SOURCE_DIR/dev" "$tree"
for program in cmake ctest; do
	printf '#!/bin/sh\n' >"$DBLOCK_TEST_TMP/bin/$program"
done
printf '#!/bin/sh\necho "no mirror answers" >&2\nexit 100\n' >"$DBLOCK_TEST_TMP/bin/apt-get"
chmod 755 "$DBLOCK_TEST_TMP/bin"/*

# expect CODE SAID ARGS...: the exit code of ./dev test ARGS, and its last line.
expect()
{
	code=0
	wanted=$1
	said=$2
	shift 2
	PATH=$DBLOCK_TEST_TMP/bin:$PATH TMPDIR=$DBLOCK_TEST_TMP "$tree/dev" test "$@" \
		>"$DBLOCK_TEST_TMP/log" 2>&1 || code=$?
	case "$code $(tail -n 1 "$DBLOCK_TEST_TMP/log")" in
	"$wanted $said"*) ;;
	*)
		cat "$DBLOCK_TEST_TMP/log" >&2
		echo "dev_mysql: ./dev test $* ended with $code, or not with '$said'" >&2
		exit 1
		;;
	esac
}

expect 1 'dev: nothing ran on MySQL: it cannot be had'
expect 1 'dev: nothing ran on MySQL: it cannot be had' mysql
expect 0 'dev: nothing ran on MySQL: as you said' --without mysql
expect 0 '' unit
! grep MySQL "$DBLOCK_TEST_TMP/log" >&2 || exit 1
