/* SPDX-License-Identifier: MIT */
/*
 * Nobody keeps what the others need: the quorum lock (DESIGN 10.20), without its tokens, but with all that
 * may be left over from tries that failed. For Spin; tests/build/model.sh runs it, as it is and once with
 * each of its bugs.
 *
 * Two contenders (or CONTENDERS), three members, of which one may be down from any moment on. A try asks
 * all three; each message may be refused, be lost, lose its answer, or arrive when its sender has given
 * up. "Minorities are given back before waiting": who has no majority gives back at each member where a
 * vote may stand, and waits. At some moment there is calm: messages are lost no longer, nobody begins a
 * try but one, whose turn came (for the others, this is the random pause after a split vote), and what is
 * under way comes to its end. Then the one must get the lock, whatever was left over: that is what is
 * proved, in every state from which calm may begin. It is not proved that calm comes: random pauses make
 * it likely, and no more. Not modelled: deadlines (all sessions live on, so that no time-out hides what
 * was left), the line.
 *
 * BUG_KEEPS: who waits keeps its minority. BUG_KNOWN: it gives back only what it was told that it has.
 * BUG_ONCE: it gives back once, and does not settle what may arrive after that.
 */
#ifndef CONTENDERS
#define CONTENDERS 2
#endif
#define FREE CONTENDERS

mtype = { NONE, SENT, GRANTED }; /* what of r's vote is under way to a member, or on its way back */

typedef member {
	byte holder = FREE;
	bool down;
	mtype vote[CONTENDERS] = NONE;
	bool known[CONTENDERS]; /* r knows that it has this one */
	bool unsure[CONTENDERS]; /* r has asked, has no answer, and has not settled it */
}
member at[3];
bool tries[CONTENDERS], began[CONTENDERS];
byte one = FREE; /* who tries alone, once there is calm */
bool held;

#define CALM     (one != FREE)
#define COUNT(r) (at[0].known[r] + at[1].known[r] + at[2].known[r])
#define DOWN     (at[0].down || at[1].down || at[2].down)

/* Which member is which does not matter: of all states that are the same but for that, one is kept. */
c_code {
static void member_order(int a, int b)
{
	struct member kept = now.at[a];

	if (memcmp(&now.at[a], &now.at[b], sizeof kept) <= 0)
		return;
	now.at[a] = now.at[b];
	now.at[b] = kept;
}
}
#define SORT ; c_code { member_order(0, 1); member_order(1, 2); member_order(0, 1); }

inline ask(m)
{
	at[m].vote[r] = SENT; at[m].unsure[r] = true
}

#ifdef BUG_KNOWN
#define HERE(m, i) (at[m].known[i])
#else
#define HERE(m, i) (at[m].known[i] || at[m].unsure[i])
#endif
/* What of a try is still to be given back, now that it is over. */
#ifdef BUG_KEEPS
#define LEFT_OF(m, i) false
#else
#define LEFT_OF(m, i) (!at[m].down && HERE(m, i))
#endif
/* A vote whose answer has not come is settled only when it can arrive no longer: its backend was ended. */
#ifdef BUG_ONCE
#define SETTLED(m) true
#else
#define SETTLED(m) (at[m].vote[r] != SENT)
#endif

#define BETWEEN(m) \
	:: d_step { at[m].vote[r] == SENT && !at[m].down && at[m].holder == FREE -> \
		at[m].holder = r; at[m].vote[r] = GRANTED SORT } \
	:: d_step { at[m].vote[r] == SENT && !at[m].down && at[m].holder != FREE && at[m].holder != r -> \
		at[m].vote[r] = NONE; at[m].unsure[r] = false SORT } \
	:: d_step { at[m].vote[r] == GRANTED && tries[r] -> \
		at[m].vote[r] = NONE; at[m].unsure[r] = false; at[m].known[r] = true SORT } \
	:: d_step { at[m].vote[r] != NONE && (!CALM || !tries[r]) -> at[m].vote[r] = NONE SORT } \
	:: d_step { !tries[r] && LEFT_OF(m, r) && SETTLED(m) -> \
		at[m].known[r] = false; at[m].unsure[r] = false; \
		at[m].vote[r] = (at[m].vote[r] == SENT -> SENT : NONE); \
		at[m].holder = (at[m].holder == r -> FREE : at[m].holder) SORT } \
	:: d_step { !CALM && !DOWN -> at[m].down = true SORT }

/* Nothing of i is under way, nor left to be given back. */
#define QUIET_AT(m, i) (at[m].down || at[m].vote[i] == NONE && !LEFT_OF(m, i))
#define QUIET(i)       (!tries[i] && QUIET_AT(0, i) && QUIET_AT(1, i) && QUIET_AT(2, i))
#if CONTENDERS == 2
#define ALL_QUIET (QUIET(0) && QUIET(1))
#else
#define ALL_QUIET (QUIET(0) && QUIET(1) && QUIET(2))
#endif
#define MAY_BEGIN (QUIET(r) && (!CALM || one == r && !began[r] && ALL_QUIET))

active [CONTENDERS] proctype contends()
{
	byte r = _pid;

end:
	do
	BETWEEN(0)
	BETWEEN(1)
	BETWEEN(2)
	:: d_step { !held && MAY_BEGIN -> tries[r] = true; began[r] = CALM;
		if
		:: at[0].known[r] -> skip
		:: else -> ask(0)
		fi;
		if
		:: at[1].known[r] -> skip
		:: else -> ask(1)
		fi;
		if
		:: at[2].known[r] -> skip
		:: else -> ask(2)
		fi SORT }
	:: d_step { tries[r] && COUNT(r) >= 2 && !held -> held = true }
	:: d_step { tries[r] && COUNT(r) < 2 && (!CALM || one != r || !began[r]) -> tries[r] = false }
	od
}

active proctype calm()
{
	if
	:: one = 0
	:: one = 1
#if CONTENDERS > 2
	:: one = 2
#endif
	fi;
	timeout; /* nothing is left to be done */
	assert(held)
}
