#!/bin/sh
# SPDX-License-Identifier: MIT
# Each order has its mail, in order, though the first was refused; and what was rolled back has none.
set -eu
cd "$DBLOCK_TEST_TMP"
mail=$DBLOCK_BUILD_DIR/examples/outbox_mail

fail()
{
	echo "outbox_mail: $*" >&2
	cat out err >&2
	exit 1
}

order()
{
	"$mail" "$DBLOCK_TEST_URL" order "$@" >>out 2>>err
}

order ann 1 || fail "the first order"
order ann 13 && fail "it was to be refused"
order bob 2 || fail "bob's"
order ann 3 || fail "another one"
"$mail" "$DBLOCK_TEST_URL" send 3 >out 2>err || fail "send"
grep -q '451 try again later' err || fail "none was refused"
[ "$(grep ann out)" = "to ann: thank you for order 1 (mail 1)
to ann: thank you for order 3 (mail 2)" ] || fail "not in order, or one without an order"
[ "$(grep -c 'to bob: thank you for order 2 (mail 1)' out)" = 1 ] || fail "not bob's, once"
[ "$(wc -l <out)" -eq 3 ] || fail "more than were ordered"
