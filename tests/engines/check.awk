# SPDX-License-Identifier: MIT
# What the witness saw (record.h), judged: sort -s -n -k1,1 LOG | awk -f check.awk
# It knows no more of dblock than a user does, and has nothing of its code. Says, for a shell,
#   grants=N
#   overlaps=N    grants of a name that another client still believed it held, each time
#   overlap_ms=N  the longest time that one believed beside the next
#   back=N        grants of a name whose token was not larger than all before, and writes behind a
#                 fence whose token was smaller than one that had written before
#   stall_ms=N    the longest time in which nobody was granted anything while somebody wanted it
#   false_lost=N  LOST, and no fault was marked since it was asked for
#   early=N       acquires that ended with a failure before their wait of a minute was over; after it, that
#                 the database cannot be reached is as good an answer as TIMEOUT
#   answers="..." how often each call gave what, but OK
# and what it found wrong, a comment each.

# Tokens have more digits than awk's numbers.
function larger(a, b)
{
	return length(a) != length(b) ? length(a) > length(b) : a "" > b ""
}

function found(what)
{
	if (++findings <= 20)
		printf "# at %.6f: %s\n", $1 / 1000000, what
}

# $4 was granted while others believed that they held it.
function overlapped(  key, part)
{
	overlaps += n[$4]
	found($4 " was granted to client " $2 " with token " $5 ", and " n[$4] \
		" other(s) held it, since token " newest[$4])
	for (key in believers) {
		split(key, part, SUBSEP)
		if (part[1] == $4 && !(key in beside))
			beside[key] = $1
	}
}

# Nobody was granted anything until now.
function stalled()
{
	if (wanting && !over && $1 - quiet > stall)
		stall = $1 - quiet
	quiet = $1
}

# Client $2 wants a name no more.
function content()
{
	if ($2 in wants) {
		delete wants[$2]
		wanting--
	}
}

function answered(call, since)
{
	if ($6 == "OK" || over && $6 == "CANCELED")
		return
	if (!count[call " " $6]++)
		kinds[++n_kinds] = call " " $6
	if ($6 == "LOST" && (!marked || marked < since)) {
		false_lost++
		found("client " $2 " was told LOST for " $4 ", and nothing had happened")
	}
}

$3 == "until" {
	n[$4]--
	if ((($4, $2) in beside) && $1 - beside[$4, $2] > overlap)
		overlap = $1 - beside[$4, $2]
	delete believers[$4, $2]
	delete beside[$4, $2]
}

$3 == "asked" {
	if (!wanting)
		quiet = $1
	if (!($2 in wants)) {
		wants[$2]
		wanting++
	}
	asked[$2] = $1
}

$3 == "granted" {
	grants++
	stalled()
	content()
	if (n[$4] > 0)
		overlapped()
	if (($4 in newest) && !larger($5, newest[$4])) {
		back++
		found($4 " was granted to client " $2 " with token " $5 " after " newest[$4])
	} else
		newest[$4] = $5
	n[$4]++
	believers[$4, $2]
}

$3 == "wrote" {
	if (($4 in written) && larger(written[$4], $5)) {
		back++
		found("client " $2 " wrote with token " $5 " what " written[$4] " had written already")
	} else
		written[$4] = $5
}

$3 == "failed" {
	answered("acquire", asked[$2])
	early += $6 ~ /^E_/ && $1 - asked[$2] < 60000000
}

$3 == "released" { answered("release", asked[$2]) }
$3 == "opened" { answered("open", asked[$2]) }
$3 == "mark" { marked = $1 }

$3 == "over" {
	stalled()
	over = 1
}

END {
	for (i = 1; i <= n_kinds; i++)
		answers = answers (i > 1 ? ", " : "") kinds[i] " " count[kinds[i]]
	printf "grants=%d\noverlaps=%d\noverlap_ms=%d\nback=%d\nstall_ms=%d\nfalse_lost=%d\nearly=%d\nanswers=\"%s\"\n",
		grants, overlaps, overlap / 1000, back, stall / 1000, false_lost, early,
		answers
}
