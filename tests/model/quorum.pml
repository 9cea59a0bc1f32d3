/* SPDX-License-Identifier: MIT */
/*
 * The quorum lock's protocol (DESIGN 10.20) in one epoch: one name, three members, two contenders (or
 * CONTENDERS). For Spin; tests/build/model.sh runs it as it is, and once with each of the bugs that can be
 * planted. quorum_replace.pml is the exchange of a member, quorum_progress.pml what tries leave behind.
 *
 * What is proved: no two hold at one moment, and the tokens of successive holders strictly grow. A holder
 * is a contender that its own deadlines have not told that it is over.
 *
 * How each sentence of the protocol stands here:
 * - "A member takes greatest(token + 1, T) where it is free": vote(). T is nothing, or one more than the
 *   largest token that any member has: what a contender may have seen lies between them. A vote arrives at
 *   any time, at most once a session: so it may be late, even after its sender has given up, or be lost.
 * - An answer is learnt at any later time, while the contender still tries, or never.
 * - "Raise to the largest (request id and token below it), and count the confirmations": the largest of
 *   what is counted *now*; who counts another majority raises again, and the raise before it may still
 *   arrive.
 * - "Held": one and the same token on a majority that is counted now. A member that has a larger token
 *   does not confirm T, as long as nothing is held: T goes up to it (BUG_FIRST_LARGEST, BUG_ONCE). From
 *   then on a member counts at any token. MIDDLE is a wider rule, and right too: a majority counted now at
 *   T or less, another, or the same, at T or more.
 * - "Validity is the majority-th largest deadline": each session's deadline passes by itself; who holds is
 *   over when fewer than a majority are left. The member may be taken after that only. Both are one step
 *   here: it is the last moment at which the holder may know, and each earlier one is in the model too, as
 *   a contender may end at any time and may never learn an answer. A raise must find the session alive,
 *   not only the request.
 * - "A lost member is re-joined": the same request votes again, in a new session, so often as REJOINS
 *   says.
 * - Release goes to each member by request id, without a token, at any time after the end, or never; a
 *   crash is an end without it. A contender is one try, with a request id of its own: another try of the
 *   same client is another contender (BUG_SAME_ID: it is not).
 * - "An unknown name counts as the floor": PURGES. A member that forgets votes no longer: FORGETS. It
 *   forgets all at once, and that it did is known at once: by its history.
 *
 * Not modelled: two names (one more name only lets T be larger), the line (its grant is what a late vote
 * is), statements in parts (each is one transaction), N = 5, clocks.
 *
 * Bugs: BUG_REACHABLE (N is the members that answer), BUG_LARGEST_DEADLINE, BUG_ONE_PHASE (the largest of
 * different tokens is taken, unconfirmed), BUG_OWN_TOKEN (any of them), BUG_FIRST_LARGEST (T is what was
 * largest once; a larger token counts as its confirmation), BUG_ONCE (confirmed once is enough, though
 * that member was lost since), BUG_RAISE_ANY (no request id), BUG_RAISE_LOWERS, BUG_EARLY (taken before
 * the client knows), BUG_SAME_ID (a late release of the try before), BUG_PURGE (no floor), BUG_FORGETFUL.
 */
#ifndef CONTENDERS
#define CONTENDERS 2
#endif
#ifndef REJOINS
#define REJOINS 1 /* in all */
#endif
#define FREE       CONTENDERS
#define MAX(a, b)  ((a) > (b) -> (a) : (b))
#define HIGHEST(f) MAX(f(0), MAX(f(1), f(2)))

/* ---- what there is --------------------------------------------------------------------------- */

typedef member {
	byte token, holder, floor; /* token 0: the name is unknown here */
	bool forgot;
	bool voted[CONTENDERS]; /* its vote has arrived */
	byte known[CONTENDERS]; /* the token that it knows it is granted with; 0: not counted; 1 for who holds */
	bool once[CONTENDERS];  /* BUG_ONCE: has confirmed at some time */
}
member at[3];

mtype = { TRIES, HOLDS, OVER };

typedef contender {
	mtype phase = TRIES;
	byte raise, stale; /* what it sent last, and before that: both may be under way */
	bool again;        /* BUG_SAME_ID: tries again, and its release may still be under way */
}
contender who[CONTENDERS];

byte last, holders, purges, forgets, rejoins;

hidden byte far; /* within one step */

#define I        who[r]
#define TOKEN(m) at[m].token
#define BASE(m)  (at[m].token > 0 -> at[m].token : at[m].floor)
#define KNOWN(m) at[m].known[r]
#define AT(t)    ((KNOWN(0) == (t)) + (KNOWN(1) == (t)) + (KNOWN(2) == (t)))
#define COUNTED  (3 - AT(0))
#define LARGEST  HIGHEST(KNOWN)
#define FROM(t)  ((KNOWN(0) >= (t)) + (KNOWN(1) >= (t)) + (KNOWN(2) >= (t)))
#define ONCE     (at[0].once[r] + at[1].once[r] + at[2].once[r])

/* Which member is which does not matter, nor which contender: of all states that are the same but for that,
 * one is kept. */
c_decl {
#define SWAP(type, a, b) do { type swap_ = a; a = b; b = swap_; } while (0)
}
c_code {
static void member_order(int a, int b)
{
	if (memcmp(&now.at[a], &now.at[b], sizeof now.at[a]) > 0)
		SWAP(struct member, now.at[a], now.at[b]);
}

static void who_order(int a, int b)
{
	int m;

	if (memcmp(&now.who[a], &now.who[b], sizeof now.who[a]) <= 0)
		return;
	SWAP(struct contender, now.who[a], now.who[b]);
	for (m = 0; m < 3; m++) {
		struct member *at = &now.at[m];
		SWAP(uchar, at->voted[a], at->voted[b]);
		SWAP(uchar, at->known[a], at->known[b]);
		SWAP(uchar, at->once[a], at->once[b]);
		if (at->holder == a)
			at->holder = b;
		else if (at->holder == b)
			at->holder = a;
	}
}
}
#ifdef PLAIN
#define SORT
#elif CONTENDERS == 2
#define SORT ; c_code { who_order(0, 1); \
	member_order(0, 1); member_order(1, 2); member_order(0, 1); }
#else
#define SORT ; c_code { who_order(0, 1); who_order(1, 2); who_order(0, 1); \
	member_order(0, 1); member_order(1, 2); member_order(0, 1); }
#endif

#ifdef BUG_REACHABLE
#define MAJORITY 1
#else
#define MAJORITY 2
#endif

#ifdef BUG_LARGEST_DEADLINE
#define LASTS 1
#else
#define LASTS 2
#endif

#if defined(BUG_ONE_PHASE)
#define HAS(t) ((t) == LARGEST && COUNTED >= MAJORITY)
#elif defined(BUG_OWN_TOKEN)
#define HAS(t) (COUNTED >= MAJORITY)
#elif defined(BUG_FIRST_LARGEST)
#define HAS(t) (AT(t) >= MAJORITY || (t) == I.raise && COUNTED >= 2 && \
	FROM(t) >= 2)
#elif defined(BUG_ONCE)
#define HAS(t) (AT(t) >= MAJORITY || (t) == I.raise && COUNTED >= 2 && ONCE >= 2)
#elif defined(MIDDLE)
#define HAS(t) (FROM(1) - FROM((t) + 1) >= MAJORITY && FROM(t) >= MAJORITY)
#else
#define HAS(t) (AT(t) >= MAJORITY)
#endif

inline hold(t)
{
	assert(holders == 0);
	assert(t > last);
	last = t;
	holders++;
	I.phase = HOLDS;
	KNOWN(0) = (KNOWN(0) > 0);
	KNOWN(1) = (KNOWN(1) > 0);
	KNOWN(2) = (KNOWN(2) > 0)
}

inline done()
{
	if
	:: I.phase == HOLDS -> holders--
	:: else -> skip
	fi;
	I.phase = OVER;
	KNOWN(0) = 0; KNOWN(1) = 0; KNOWN(2) = 0;
	at[0].once[r] = 0; at[1].once[r] = 0; at[2].once[r] = 0
}

/* Whose time is over, and who has nothing under way: its messages matter no longer. */
inline settle()
{
	if
	:: I.phase == OVER && at[0].voted[r] && at[1].voted[r] && at[2].voted[r] &&
	   at[0].holder != r && at[1].holder != r && at[2].holder != r -> I.raise = 0; I.stale = 0
	:: else -> skip
	fi
}

#ifdef BUG_FORGETFUL
#define VOTES(m) true
#else
#define VOTES(m) (!at[m].forgot)
#endif

#define MAY_VOTE(m) (!at[m].voted[r] && at[m].holder == FREE && VOTES(m))

inline vote(m, from_far)
{
	far = HIGHEST(TOKEN);
	at[m].token = BASE(m) + 1;
	if
	:: from_far && at[m].token <= far -> at[m].token = far + 1
	:: else -> skip
	fi;
	at[m].holder = r;
	at[m].voted[r] = true
}

#ifdef BUG_RAISE_ANY
#define MINE(m) (at[m].holder == r || I.raise > 0)
#define ANSWERS(m) (at[m].holder == r || I.raise > 0 && at[m].token == I.raise)
#else
#define MINE(m) (at[m].holder == r)
#define ANSWERS(m) MINE(m)
#endif
#ifdef BUG_RAISE_LOWERS
#define BELOW(m, t) (at[m].token != (t))
#else
#define BELOW(m, t) (at[m].token < (t))
#endif
#define MAY_RAISE(m, t) ((t) > 0 && MINE(m) && at[m].token > 0 && BELOW(m, t))
#ifdef BUG_EARLY
#define TOLD(m) skip
#else
#define TOLD(m) KNOWN(m) = 0
#endif

/* What may happen between r and the member m: the vote arrives (with no T, or with one larger than all), its
 * answer or that of a raise is learnt, who holds learns of a member that was re-joined, a raise arrives,
 * the
 * session is lost, the release arrives, it holds. */
#define BETWEEN(m) \
	:: d_step { MAY_VOTE(m) -> vote(m, false) SORT } \
	:: d_step { MAY_VOTE(m) && BASE(m) < HIGHEST(TOKEN) -> vote(m, true) SORT } \
	:: d_step { I.phase == TRIES && ANSWERS(m) && KNOWN(m) != at[m].token -> \
		KNOWN(m) = at[m].token; \
		CONFIRMED_TOO(m) SORT } \
	:: d_step { I.phase == HOLDS && at[m].holder == r && KNOWN(m) == 0 -> KNOWN(m) = 1 SORT } \
	:: d_step { MAY_RAISE(m, I.raise) -> at[m].token = I.raise SORT } \
	:: d_step { MAY_RAISE(m, I.stale) -> at[m].token = I.stale SORT } \
	:: d_step { I.phase != OVER && at[m].holder == r -> at[m].holder = FREE; TOLD(m); \
		if \
		:: I.phase == HOLDS && COUNTED < LASTS -> done() \
		:: else -> skip \
		fi; \
		if \
		:: rejoins < REJOINS -> rejoins++; at[m].voted[r] = false \
		:: else -> skip \
		fi; settle() SORT } \
	:: d_step { (I.phase == OVER || I.again) && at[m].holder == r -> at[m].holder = FREE; settle() SORT } \
	:: d_step { I.phase == TRIES && KNOWN(m) > 0 && HAS(KNOWN(m)) -> hold(KNOWN(m)) SORT }

#ifdef BUG_ONCE
#define CONFIRMED(m)     at[m].once[r] = (KNOWN(m) == I.raise)
#define CONFIRMED_TOO(m) at[m].once[r] = (at[m].once[r] || KNOWN(m) == I.raise)
#else
#define CONFIRMED(m)     skip
#define CONFIRMED_TOO(m) skip
#endif

proctype contends(byte r)
{
end:
	do
	BETWEEN(0)
	BETWEEN(1)
	BETWEEN(2)
	:: d_step { I.phase == TRIES && COUNTED >= 2 && LARGEST != I.raise && AT(LARGEST) < 2 ->
		I.stale = I.raise; I.raise = LARGEST;
		CONFIRMED(0); CONFIRMED(1); CONFIRMED(2) SORT }
	:: d_step { I.phase != OVER -> done(); settle() SORT }
#ifdef BUG_SAME_ID
	:: d_step { I.phase == OVER && !I.again -> I.again = true; I.phase = TRIES;
		at[0].voted[r] = false; at[1].voted[r] = false; at[2].voted[r] = false SORT }
#endif
	od
}

#ifdef PURGES
#define PURGE(m) \
	:: d_step { purges < PURGES && at[m].holder == FREE && at[m].token > 0 -> \
		purges++; LEAVE_FLOOR(m); at[m].token = 0 SORT }
#ifdef BUG_PURGE
#define LEAVE_FLOOR(m) skip
#else
#define LEAVE_FLOOR(m) at[m].floor = MAX(at[m].floor, at[m].token)
#endif
#else
#define PURGE(m)
#endif

#ifdef FORGETS
#define FORGET(m) :: d_step { forgets < 1 && at[m].token > 0 -> \
	forgets++; at[m].forgot = true; at[m].token = 0; at[m].holder = FREE SORT }
#else
#define FORGET(m)
#endif

#if defined(PURGES) || defined(FORGETS)
active proctype befalls()
{
end:
	do
	PURGE(0)
	PURGE(1)
	PURGE(2)
	FORGET(0)
	FORGET(1)
	FORGET(2)
	od
}
#endif

init
{
	byte i;

	atomic {
		at[0].holder = FREE; at[1].holder = FREE; at[2].holder = FREE;
		if
		:: skip
		:: at[1].token = 1; at[2].token = 2; last = 1
		fi;
		for (i : 0 .. CONTENDERS - 1) { run contends(i) }
		i = 0
	}
}
