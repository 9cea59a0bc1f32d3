#!/bin/sh
# SPDX-License-Identifier: MIT
# The models hold, in all orders of all that may happen; and do not with any of the bugs that can be planted in
# them. liveness: death by the kernel's word. quorum, quorum_replace, quorum_progress: one lock over independent
# databases. global: one transaction over several databases. DBLOCK_MODEL_LARGE=1: with larger configurations
# too, which take minutes and gigabytes.
set -eu
models=$DBLOCK_SOURCE_DIR/tests/model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# errors_with MODEL MACRO...: prints how many errors Spin finds, with these set.
errors_with()
{
	model=$1
	shift
	flags=
	optimise=-O1
	for macro; do
		flags="$flags -D$macro"
		case $macro in
		BUG_*) optimise=-O0 ;; # the compiler takes longer than the search
		esac
	done
	# shellcheck disable=SC2086 # words
	spin -a $flags "$models/$model.pml" >spin.out
	# The partial order reduction has nothing to reduce: all is shared. COLLAPSE is lossless.
	"${CC:-cc}" $optimise -DSAFETY -DNOREDUCE -DCOLLAPSE -o pan pan.c
	./pan -m100000 -n -w22 >pan.out
	if grep -q "max search depth too small" pan.out; then
		echo "too deep"
		return
	fi
	sed -n 's/.*errors: //p' pan.out
}

failed=0
while read -r configuration; do
	[ "$configuration" ] || continue
	# shellcheck disable=SC2086 # words
	if [ "$(errors_with $configuration)" != 0 ]; then
		echo "model: $configuration: it does not hold" >&2
		failed=1
	fi
done <<-END
	liveness
	liveness COPIES
	quorum
	quorum MIDDLE
	quorum REJOINS=0 PURGES=1
	quorum REJOINS=0 FORGETS
	quorum_replace
	quorum_progress
	global
	${DBLOCK_MODEL_LARGE:+quorum REJOINS=2}
	${DBLOCK_MODEL_LARGE:+quorum_replace RESUMES}
	${DBLOCK_MODEL_LARGE:+quorum_replace LINE}
	${DBLOCK_MODEL_LARGE:+quorum_replace FLOOR_FIRST LINE}
END
while read -r configuration; do
	# shellcheck disable=SC2086 # words
	if [ "$(errors_with $configuration)" != 1 ]; then
		echo "model: $configuration is not found" >&2
		failed=1
	fi
done <<-END
	liveness BUG_ABSENT
	liveness BUG_BLIND
	liveness BUG_KEEPER_ALONE
	liveness BUG_EARLY
	liveness COPIES BUG_COPY
	quorum BUG_REACHABLE
	quorum BUG_LARGEST_DEADLINE
	quorum BUG_ONE_PHASE
	quorum BUG_OWN_TOKEN
	quorum BUG_FIRST_LARGEST
	quorum BUG_ONCE
	quorum BUG_RAISE_ANY
	quorum BUG_RAISE_LOWERS
	quorum BUG_EARLY
	quorum BUG_SAME_ID
	quorum REJOINS=0 PURGES=1 BUG_PURGE
	quorum REJOINS=0 FORGETS BUG_FORGETFUL
	quorum_replace BUG_OLD_MEMBER
	quorum_replace BUG_NO_EPOCH
	quorum_replace BUG_ONE_CLOSED
	quorum_replace BUG_NO_WAIT
	quorum_replace RESUMES BUG_RESUME_NO_WAIT
	quorum_replace BUG_NO_FLOOR
	quorum_replace FLOOR_FIRST BUG_RAISE_EPOCH
	quorum_replace FLOOR_FIRST BUG_UNLOCKED
	quorum_progress BUG_KEEPS
	quorum_progress BUG_KNOWN
	quorum_progress BUG_ONCE
	global ALONE BUG_PREPARE_ANSWER
	global ALONE BUG_SETTLE_READS
	global ALONE BUG_SETTLE_BELIEVES
	global ALONE BUG_SETTLE_HISTORY
	global ALONE BUG_COMMIT_ANSWER
	global ALONE BUG_LOCK_FIRST
	global ALONE BUG_MARKS_FIRST
	global ALONE BUG_NO_ABORT
	global ALONE BUG_ONE_READ
	global ALONE BUG_HISTORY
	global ALONE BUG_ELSEWHERE
	global ALONE BUG_ORDER
	global ALONE BUG_NOTA
	global ALONE BUG_UNLISTED
	global ALONE BUG_SWEEP
	global ALONE BUG_PURGE
	global ALONE BUG_PURGE_ABORT
END
exit $failed
