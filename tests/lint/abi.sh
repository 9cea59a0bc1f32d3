#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program that was built against the last tag would stumble over is found; what it would not is not.
set -eu
. "${0%/*}/planted"

git init -q .
git config user.email a@example.org
git config user.name a
mkdir -p "$DBLOCK_BUILD_DIR/include"
echo 'set(DBLOCK_SOVERSION 0)' >CMakeLists.txt

# header MEMBERS OF-THE-FROZEN-ONE ENUMERATORS MORE
header()
{
	cat >include/dblock/x.h <<-END
		#include <stddef.h>
		struct dblock_client;
		enum dblock_kind { $3 };
		/** Sized. */
		struct dblock_options {
			size_t size;
			$1
		};
		/** A pair. Frozen: arrays are made of it. */
		struct dblock_pair {
			$2
		};
		__attribute__((visibility("default"))) int dblock_open(
			const struct dblock_options *options, const struct dblock_pair *pairs, size_t n,
			int (*each)(void *arg, enum dblock_kind kind), struct dblock_client **client);
		$4
	END
}

released()
{
	git add -A
	git commit --allow-empty -qm "$1" >/dev/null
	git tag "$1"
}

header 'long a; int b; int c;' 'int d;' 'DBLOCK_ONE, DBLOCK_TWO' ''
git add -A
git commit -qm first
clean abi
grep -q 'no release is tagged' "$DBLOCK_TEST_TMP/out" || fail 'it did not say that there is no tag'
released v0.1.0
clean abi
header 'long a; int b; int c; long more;' 'int d;' 'DBLOCK_ONE, DBLOCK_TWO, DBLOCK_THREE' \
	'__attribute__((visibility("default"))) int dblock_more(void);'
clean abi
header 'long more; long a; int b; int c;' 'int d;' 'DBLOCK_ONE, DBLOCK_TWO' ''
caught abi "'int b' offset changed from 128 to 192"
header 'long a; int b; long c;' 'int d;' 'DBLOCK_ONE, DBLOCK_TWO' ''
caught abi "type 'int' of 'dblock_options::c' changed"
header 'long a; int b; int c;' 'int d; int e;' 'DBLOCK_ONE, DBLOCK_TWO' ''
caught abi 'dblock_pair'
header 'long a; int b; int c;' 'int d;' 'DBLOCK_TWO, DBLOCK_ONE' ''
caught abi 'DBLOCK_ONE'
header 'long a; int b; int c;' 'int d;' 'DBLOCK_ONE, DBLOCK_TWO' ''
sed -i 's/size_t n,/int n,/' include/dblock/x.h
caught abi 'not what v0.1.0 promised'
sed -i 's/dblock_open/dblock_opened/' include/dblock/x.h
caught abi 'dblock_open'
echo 'set(DBLOCK_SOVERSION 1)' >CMakeLists.txt
clean abi
released v1.0.0
clean abi
