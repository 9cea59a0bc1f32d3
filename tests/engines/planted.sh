#!/bin/sh
# SPDX-License-Identifier: MIT
# The checker of what the witness saw finds an overlap, a token that goes back, a stall and a LOST that
# nothing explains, in logs that have each of them; and nothing in one that has none.
set -eu
log=$DBLOCK_TEST_TMP/log

# says LINE: so the checker does of the log.
says()
{
	sort -s -n -k1,1 "$log" | awk -f "$DBLOCK_SOURCE_DIR/tests/engines/check.awk" >"$log.said"
	grep -qx "$1" "$log.said" || {
		cat "$log" "$log.said"
		echo "FAILED: the checker does not say $1"
		exit 1
	}
}

# has WORD...: the log has these lines, with "/" for " ".
has()
{
	printf '%s\n' "$@" | tr / ' ' >"$log"
}

# Two clients by turns, and a belief that ends in the microsecond in which it begins.
has 100/1/asked/a/0/OK 110/2/asked/a/0/OK 200/1/granted/a/9007199254740992/OK 300/1/until/a/9007199254740992/OK \
	310/2/granted/a/9007199254740993/OK 310/2/until/a/9007199254740993/OK \
	320/1/released/a/9007199254740992/OK 330/2/released/a/9007199254740993/OK 340/0/over/-/0/OK
for line in grants=2 overlaps=0 back=0 stall_ms=0 false_lost=0 early=0 'answers=""'; do
	says "$line"
done

# The second one's belief begins before the first one's ends, as the log has them in another order.
has 1000/1/granted/a/8/OK 7000/1/until/a/8/OK 3000/2/granted/a/9/OK 4000/2/until/a/9/OK 4500/3/granted/b/8/OK
says overlaps=1
says overlap_ms=4
says back=0
# With three at once each pair counts.
has 1/1/granted/a/1/OK 2/2/granted/a/2/OK 3/3/granted/a/3/OK
says overlaps=3

# Smaller by one in the last of sixteen digits, equal, and smaller by having fewer digits.
has 1/1/granted/a/9007199254740993/OK 2/1/until/a/9007199254740993/OK 3/2/granted/a/9007199254740992/OK
says back=1
says overlaps=0
has 1/1/granted/a/10/OK 2/1/until/a/10/OK 3/2/granted/a/10/OK 4/2/until/a/10/OK 5/1/granted/a/9/OK
says back=2

# What was fenced with 9 and then with 10, or the other way round.
has 1/1/wrote/a/9/OK 2/2/wrote/a/10/OK 3/2/wrote/a/10/OK 4/1/wrote/b/9/OK
says back=0
has 1/2/wrote/a/10/OK 2/1/wrote/a/9/OK
says back=1

# Nobody is granted anything from 1 s to 5 s, though calls fail and are made again; then nobody asks;
# and at the end nobody is granted anything for 2 s.
has 1000000/1/asked/a/0/OK 2000000/1/failed/a/0/E_UNAVAILABLE 2100000/1/asked/b/0/OK \
	5000000/1/granted/b/1/OK 5000100/1/until/b/1/OK 5000200/1/released/b/1/OK \
	15000000/1/asked/b/0/OK 17000000/0/over/-/0/OK 99000000/1/failed/b/0/CANCELED
says stall_ms=4000
says 'answers="acquire E_UNAVAILABLE 1"'
says early=1
sed -i '/ granted /,/ released /d' "$log"
says stall_ms=16000

# A wait of a minute that was over is not cut short.
has 1000000/1/asked/a/0/OK 60999999/1/failed/a/0/E_UNAVAILABLE
says early=1
has 1000000/1/asked/a/0/OK 61000000/1/failed/a/0/E_UNAVAILABLE
says early=0

# What is lost after a fault, and what is without one.
has 1/1/asked/a/0/OK 2/1/granted/a/1/OK 3/0/mark/-/0/OK 4/1/until/a/1/OK 5/1/released/a/1/LOST
says false_lost=0
sed -i 's/^3 0 mark/0 0 mark/' "$log"
says false_lost=1
says 'answers="release LOST 1"'
