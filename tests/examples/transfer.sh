#!/bin/sh
# SPDX-License-Identifier: MIT
# One account gets what the other loses, each move once.
set -eu
cd "$DBLOCK_TEST_TMP"

"$DBLOCK_BUILD_DIR/examples/transfer" "$DBLOCK_TEST_URL" >out
printf 'account 1 has 60\naccount 2 has 40\n' | cmp - out
