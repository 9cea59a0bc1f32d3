#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/bindings: what docs/user/go-and-rust.md says works, where there is a compiler for it: goroutines and
# threads do not share a lock, a wait is given up, a loss is heard of. And structs are as the Rust has them.
set -eu
cd "$DBLOCK_TEST_TMP"
src=$DBLOCK_SOURCE_DIR
export LD_LIBRARY_PATH="$DBLOCK_BUILD_DIR/src" PKG_CONFIG_PATH="$PWD"
export GOCACHE="$PWD/go-cache" GOPATH="$PWD/go-path" GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local

fail()
{
	echo "bindings: $*" >&2
	[ ! -e out ] || cat out >&2
	exit 1
}

# ---- what a foreign declaration relies on

cat >layout.c <<'END'
#include <stddef.h>
#include <dblock/dblock.h>
#define IS(member, offset) \
	_Static_assert(offsetof(struct dblock_acquire_options, member) == (offset), "see dblock.rs");
IS(size, 0) IS(wait_ms, 8) IS(lease_ms, 16) IS(at_least_ms, 24) IS(value, 32) IS(owner, 40)
_Static_assert(sizeof(struct dblock_error) == 2064 && offsetof(struct dblock_error, message) == 14, "likewise");
_Static_assert(DBLOCK_TIMEOUT == 2, "likewise");
END
"${CC:-cc}" -std=c11 -c -I "$src/include" -I "$DBLOCK_BUILD_DIR/include" layout.c || fail "another layout"

# ---- the programs

cat >dblock.pc <<END
Name: dblock
Description: as it is built
Version: 0
Cflags: -I$src/include -I$DBLOCK_BUILD_DIR/include
Libs: -L$DBLOCK_BUILD_DIR/src -ldblock
END

# says TEXT: waits until the program has said so.
says()
{
	tenths=0
	until grep -q "^$1" out; do
		kill -0 $! 2>/dev/null || fail "it ended without '$1'"
		[ $((tenths += 1)) -lt $((600 * ${DBLOCK_TEST_SLOWNESS-1})) ] || fail "it never said '$1'"
		sleep 0.1
	done
}

# works PROGRAM
works()
{
	rm -f x.db*
	: >out # what the one before said
	"./$1" sqlite:x.db >>out 2>&1 &
	says 'held: true token: [0-9]'
	dblock -u sqlite:x.db break --force held
	wait $! || fail "$1: exit code $?"
	printf '%s\n' 'counted to 80' 'gave up waiting' 'lost; held: false' >wanted
	grep -v '^held\|^release: ' out | diff wanted - || fail "$1 says something else"
	grep -q "^release: 'held' .* had been lost before: it was broken by " out || fail "$1 does not say why"
}

if command -v go >/dev/null; then
	[ -z "$(gofmt -l "$src/examples/bindings/go")" ] || fail "gofmt would have it otherwise"
	(cd "$src/examples/bindings/go" && go vet . && go build -o "$DBLOCK_TEST_TMP/with_go" .) || fail "no Go"
	works with_go
else
	echo "bindings: there is no go" >&2
fi
if command -v rustc >/dev/null; then
	rustc --edition 2021 -D warnings -L "$DBLOCK_BUILD_DIR/src" -o with_rust "$src/examples/bindings/rust/main.rs" ||
		fail "no Rust"
	works with_rust
else
	echo "bindings: there is no rustc" >&2
fi
