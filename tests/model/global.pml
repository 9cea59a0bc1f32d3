/* SPDX-License-Identifier: MIT */
/*
 * One transaction over several databases (src/global, DESIGN 10.21): a home, two branches, the second of
 * which has a lock's fence, a coordinator, and one or two recoveries at a time. For Spin;
 * tests/build/model.sh runs it as it is, and once with each of the bugs that can be planted (without the
 * second recovery: ALONE).
 *
 * What is proved: home and branches are alike. No branch is committed before home has decided so, and none is
 * rolled back if home has ever committed, though it forgot that; home never commits what a recovery has
 * rolled back, nor what the coordinator has called rolled back. Decision and marks go only when both are
 * committed. Who waits for the lock is granted it, at the earliest, when all else is committed. And from
 * every state in which faults may end, one recovery that runs alone comes to its end, and leaves nothing
 * prepared and no decision; but where home has another history and no row, it is in doubt.
 *
 * How each sentence of the protocol stands here:
 * - Each statement is one step. Its answer may be lost: then it arrives at any later time, or never, and the
 *   coordinator sends nothing more in that session (session[]). A session may be lost at any time: a branch
 *   that was not prepared, and home's transaction unless its COMMIT came first, are rolled back by that.
 * - A coordinator that is slow at any step is one that dies there, and one that wakes up after a recovery. So
 *   is a recovery, which may also fail at any statement, and then be run again.
 * - "XAER_NOTA, as long as the connection that prepared it is there", and that MySQL may or may not list it:
 *   a recovery's statement may always fail, and its list be short; PostgreSQL's never need to. Once the
 *   coordinator's sessions are gone, and all can be reached, neither happens: `calm`, the last recovery.
 * - "It writes an abort, and reads again in a new statement": the writing waits as long as home's transaction
 *   has its row there, uncommitted. `another`: home was restored, or has failed over; nobody is connected to
 *   the old one any more.
 * - What a recovery reads of marks it reads when it uses that: a mark that was seen means committed for good.
 * - "The last branch has the lock": commit() asserts the order, as the lock is free then. There is no grace.
 *
 * An abort that settle() reads may have been written when all was committed and forgotten: it counts only if
 * the coordinator then rolled back a branch, which therefore had not been committed; else nobody knows. One
 * bug is in src/global today, and stands here as it has to be: a recovery writes its abort on another
 * connection than that whose history it has compared (BUG_ELSEWHERE).
 *
 * Not modelled: branches that forget a commit, rows of home that a crash takes back, more branches, people.
 * Not proved, as it is not so: that no abort, and with it no mark, is left of what was committed (a recovery
 * writes one that has listed it before).
 *
 * Bugs: BUG_PREPARE_ANSWER (a lost one counts as yes), BUG_SETTLE_READS (it writes no abort), _BELIEVES,
 * _HISTORY, BUG_COMMIT_ANSWER (a lost one counts as done), BUG_LOCK_FIRST, BUG_MARKS_FIRST (a mark is deleted
 * before the decision, which then stays); of the recovery: BUG_NO_ABORT, BUG_ONE_READ, BUG_HISTORY (not
 * compared), BUG_ELSEWHERE, BUG_ORDER, BUG_NOTA (an error counts as finished), BUG_UNLISTED (that it is not
 * listed does), BUG_SWEEP (history not compared); BUG_PURGE (decisions go by age), BUG_PURGE_ABORT.
 */

/* 1 if that is defined, which is to say that the bug is planted; else 0. */
#define PLANTED_1         0,
#define SECOND(a, b, ...) b
#define EITHER(planted)   SECOND(planted 1, 0)
#define EXPANDED(bug)     EITHER(PLANTED_##bug)
#define IS(bug)           EXPANDED(bug)

/* ---- what there is --------------------------------------------------------------------------- */

mtype = { OPEN, PREPARED, COMMITTED, ROLLED, /* a branch, and home's transaction, */
	DECIDED };                           /* whose row is written, and not yet committed */
mtype = { NONE, COMMIT, ABORT, UP, DOWN };   /* home's row; a session */

mtype branch[2] = OPEN;
bool mark[2];            /* the row of a branch that is committed */
mtype session[2] = UP;   /* the coordinator's; or what is under way in it, of which it hears no more */
mtype home = OPEN, row = NONE;
bool under_way, another; /* home's COMMIT is; home has another history */
bool refused;            /* the coordinator has said that all is rolled back */
bool works[2], calm;     /* a recovery, the second one beside the first only; the last one */

#define UNFINISHED(b) (branch[b] == PREPARED || branch[b] == OPEN)
#define ALL_DONE      (branch[0] == COMMITTED && branch[1] == COMMITTED)

/* Each of these is right at every moment, whoever does it. */
inline commit(b)
{
	assert(home == COMMITTED);
	assert(branch[1 - (b)] != ROLLED);
	assert((b) == 0 || branch[0] == COMMITTED); /* now the contender has the lock */
	branch[b] = COMMITTED;
	mark[b] = true
}

inline roll_back(b)
{
	assert(home != COMMITTED);
	assert(branch[1 - (b)] != COMMITTED);
	branch[b] = ROLLED
}

inline commit_home()
{
	assert(branch[0] == PREPARED && branch[1] == PREPARED);
	assert(row == NONE && !refused);
	home = COMMITTED;
	row = COMMIT;
	under_way = false
}

inline roll_back_home()
{
	home = (home == COMMITTED -> COMMITTED : ROLLED);
	under_way = false
}

inline write_abort()
{
	row = (row == NONE -> ABORT : row)
}

inline forget()
{
	assert(row != COMMIT || ALL_DONE);
	row = (row == COMMIT -> NONE : row)
}

/* ---- what befalls them ----------------------------------------------------------------------- */

inline arrives(b)
{
	if
	:: session[b] == PREPARED -> branch[b] = PREPARED
	:: session[b] == COMMITTED && branch[b] == PREPARED -> commit(b)
	:: session[b] == ROLLED && UNFINISHED(b) -> roll_back(b)
	:: else -> skip
	fi;
	session[b] = DOWN
}

#define BEFALLS(b) \
	:: d_step { session[b] != DOWN && branch[b] != OPEN -> session[b] = DOWN } \
	:: d_step { session[b] != DOWN && branch[b] == OPEN -> session[b] = DOWN; roll_back(b) } \
	:: d_step { session[b] != DOWN && session[b] != UP -> arrives(b) }

active proctype befalls() provided (!calm)
{
	do
	BEFALLS(0)
	BEFALLS(1)
	:: d_step { home == OPEN || home == DECIDED -> roll_back_home() }
	:: d_step { under_way -> commit_home() }
	/* Home is restored: from before the row, with it, or from before it was forgotten. */
	:: d_step { !another -> another = true; row = NONE; roll_back_home() }
	:: d_step { !another && row != NONE -> another = true; roll_back_home() }
	:: d_step { !another && home == COMMITTED -> another = true; row = COMMIT }
	:: d_step { IS(BUG_PURGE) && row == COMMIT -> row = NONE }
	:: d_step { IS(BUG_PURGE_ABORT) && row == ABORT -> row = NONE }
	od
}

/* ---- the coordinator ------------------------------------------------------------------------- */

#define MINE(b) (session[b] == UP)

inline prepares(b)
{
	if
	:: d_step { MINE(b) -> branch[b] = PREPARED }
	:: d_step { MINE(b) -> session[b] = PREPARED }; goto fails
	:: d_step { MINE(b) -> roll_back(b) }; goto fails
	:: !MINE(b); goto fails
	:: d_step { IS(BUG_PREPARE_ANSWER) && MINE(b) -> session[b] = PREPARED }
	fi
}

inline undoes(b)
{
	if
	:: d_step { MINE(b) && branch[b] == PREPARED -> mine = true; roll_back(b) }
	:: d_step { MINE(b) && branch[b] == OPEN -> roll_back(b) }
	:: d_step { MINE(b) && UNFINISHED(b) -> session[b] = ROLLED }
	:: !MINE(b) || !UNFINISHED(b)
	fi
}

inline finishes(b)
{
	if
	:: d_step { MINE(b) && branch[b] == PREPARED -> commit(b) }
	:: d_step { MINE(b) -> session[b] = COMMITTED }; goto over
	:: MINE(b) && branch[b] != PREPARED && mark[b]
	:: !MINE(b) || branch[b] != PREPARED && !mark[b]; goto over
	:: d_step { IS(BUG_COMMIT_ANSWER) && MINE(b) -> session[b] = COMMITTED }
	fi
}

#define SAME_HOME (!another || IS(BUG_SETTLE_HISTORY))

active proctype coordinates() provided (!calm)
{
	bool mine; /* a branch was there for it to roll back */

	prepares(0);
	prepares(1);
	if
	:: d_step { home == OPEN && row == NONE -> home = DECIDED }
	:: home == ROLLED || row != NONE; goto fails
	fi;
	if
	:: d_step { home == DECIDED -> commit_home() }; goto decided
	:: d_step { home == DECIDED -> under_way = true }
	:: home == ROLLED
	:: home == ROLLED; goto fails
	fi;
	/* settle() */
	if
	:: d_step { home != DECIDED && SAME_HOME -> write_abort() }
	:: IS(BUG_SETTLE_READS) && row == NONE
	:: goto over
	fi;
	if
	:: SAME_HOME && row == COMMIT; goto decided
	:: SAME_HOME && (row == ABORT || IS(BUG_SETTLE_READS))
	:: goto over
	fi;
	undoes(0);
	undoes(1);
	if
	:: d_step { mine || IS(BUG_SETTLE_BELIEVES) -> refused = true; assert(home != COMMITTED); mine = false }
	:: !mine
	fi;
	goto over;
fails:
	home = ROLLED;
	undoes(0);
	undoes(1);
	d_step { refused = true; assert(home != COMMITTED); mine = false };
	goto over;
decided:
	assert(home == COMMITTED);
	finishes(IS(BUG_LOCK_FIRST));
	finishes(1 - IS(BUG_LOCK_FIRST));
	if
	:: d_step { !another -> forget() }
	:: goto over
	:: d_step { IS(BUG_MARKS_FIRST) -> mark[0] = false }; goto over
	fi;
	if
	:: mark[0] = false
	:: goto over
	fi;
	mark[1] = false;
over:
	false
}

/* ---- the recovery ---------------------------------------------------------------------------- */

#define LEFT     (listed[0] || listed[1])
#define ITS_HOME (!another || IS(BUG_HISTORY))
#define FORGOTTEN ((mark[0] || mark[1]) && row == NONE && !LEFT && (!another || IS(BUG_SWEEP)))
#define SEEN(b)  (mark[b] || IS(BUG_UNLISTED) && !listed[b] || IS(BUG_NOTA) && taken[b])

inline lists(b)
{
	if
	:: d_step { branch[b] == PREPARED -> listed[b] = true }
	:: !calm || branch[b] != PREPARED
	fi
}

inline undoes_too(b)
{
	if
	:: d_step { listed[b] && branch[b] == PREPARED -> roll_back(b); listed[b] = false }
	:: !calm || !listed[b]
	fi
}

inline finishes_too(b, after)
{
	if
	:: d_step { listed[b] && branch[b] == PREPARED && (after) -> commit(b); listed[b] = false }
	:: !listed[b]
	:: !calm; goto ends
	:: d_step { IS(BUG_NOTA) && listed[b] && session[b] != DOWN -> taken[b] = true; listed[b] = false }
	fi
}

inline sweeps()
{
	assert(ALL_DONE);
	mark[0] = false; mark[1] = false
}

inline stops()
{
	works[me] = false;
	listed[0] = false; listed[1] = false; taken[0] = false; taken[1] = false
}

proctype recovers(bool me) provided (!calm || works[0])
{
	bool listed[2], taken[2];

begins:
	if
	:: d_step { me == 0 || works[0] && !calm && !IS(ALONE) -> works[me] = true }
	:: atomic { me == 0 && !works[0] && !works[1] && coordinates@over && home != DECIDED &&
		home != OPEN && session[0] == DOWN && session[1] == DOWN -> works[0] = true; calm = true }
	fi;
	lists(0);
	lists(1);
	if
	:: !LEFT; goto decisions
	:: LEFT && row == COMMIT; goto commits
	:: LEFT && row == ABORT; goto rolls_back
	:: LEFT && row == NONE && ITS_HOME
	:: LEFT && row == NONE && another; goto ends
	fi;
	if
	:: d_step { ITS_HOME && home != DECIDED -> write_abort() }
	:: !calm; goto ends
	:: IS(BUG_NO_ABORT); goto rolls_back
	:: d_step { IS(BUG_ELSEWHERE) && home != DECIDED -> write_abort() }
	fi;
	if
	:: ITS_HOME && row == COMMIT; goto commits
	:: ITS_HOME && (row == ABORT || IS(BUG_ONE_READ))
	:: !calm; goto ends
	fi;
rolls_back:
	undoes_too(0);
	undoes_too(1);
	goto ends;
commits:
	finishes_too(0, true);
	finishes_too(1, SEEN(0) || IS(BUG_ORDER));
decisions:
	if
	:: d_step { row == COMMIT && !LEFT && SEEN(0) && SEEN(1) -> forget() }
	:: !calm || row != COMMIT || LEFT || !SEEN(0) || !SEEN(1)
	fi;
ends: /* The marks go, here and in the sweep. */
	if
	:: d_step { !calm -> stops() }
	:: d_step { !calm && FORGOTTEN -> sweeps(); stops() }
	:: d_step { calm && FORGOTTEN -> sweeps() }; goto ends
	:: d_step { calm && !FORGOTTEN ->
		assert(row == ABORT || row == NONE && !mark[0] && !mark[1] || another);
		assert(branch[0] != PREPARED && branch[1] != PREPARED || another && row == NONE) };
		do
		:: calm = true
		od
	fi;
	goto begins
}

init
{
	atomic { run recovers(0); run recovers(1) }
}
