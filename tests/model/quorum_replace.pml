/* SPDX-License-Identifier: MIT */
/*
 * `replace MEMBER` of the quorum lock (DESIGN 10.20), beside two contenders: 0 and 1 stay, 2 goes (and may
 * answer on, in the old epoch, for ever), 3 comes, blank. For Spin; tests/build/model.sh runs it. The
 * lock's protocol is that of quorum.pml, without re-joining in one epoch, and without late votes of who
 * has given up.
 *
 * What is proved: no two hold, and tokens grow, across the exchange; RESUMES: also where replace is killed
 * after any step and begun again.
 *
 * - "Close the epoch on each", in fixed order, by compare-and-set: a closed member takes no vote and no
 *   raise, but heartbeats and releases. Who hears from it learns of the new epoch (NEWS), *with each
 *   heartbeat too*: in the code, by looking at its row, as a vote counts only for max_ttl since then.
 * - "Holders go on by the members in both configurations": who knows counts only 0 and 1, and needs a
 *   majority of N among them, that is of both configurations; the one that goes counts no longer at once
 *   (BUG_OLD_MEMBER), the one that comes as soon as it has voted.
 * - "Wait max_ttl": each session at 0 and 1 was renewed since, and then its client knows, or it has passed
 *   (cut_off). BUG_NO_WAIT is also what heartbeats are that do not look at the epoch.
 * - "Write the others' largest token as the newcomer's floor": read *after* the wait. FLOOR_FIRST reads it
 *   before it: right too, but only as long as each raise checks the epoch (BUG_RAISE_EPOCH), and with a
 *   lock (BUG_UNLOCKED); after the wait neither of the two does harm.
 * - Open on each.
 * LINE: a release at an open or a closed member hands over to who waits there in line, whatever its epoch;
 * the grant counts only by a statement that checks the epoch.
 *
 * Not modelled: a proposed T (each vote takes token + 1; FAR proposes, and is more than a machine has
 * searched to its end), two exchanges, one after the other or at once (fixed order and compare-and-set let
 * one win).
 *
 * Bugs: BUG_OLD_MEMBER, BUG_NO_EPOCH, BUG_ONE_CLOSED (a majority of the others is enough), BUG_NO_WAIT,
 * BUG_RESUME_NO_WAIT (who finds all closed does not wait), BUG_NO_FLOOR, and with FLOOR_FIRST
 * BUG_RAISE_EPOCH and BUG_UNLOCKED (an old vote gets through after the close).
 */
#define CONTENDERS 2
#define FREE       CONTENDERS
#define OUT 2 /* the member that goes, */
#define IN  3 /* and the one that comes */

mtype = { TRIES, HOLDS, DONE, OLD, CLOSED, NEW };

typedef member {
	byte token, holder, floor;
	mtype epoch;
	bool voted[CONTENDERS];
	bool lined[CONTENDERS];
	byte known[CONTENDERS];
}
member at[4];

typedef contender {
	mtype phase = TRIES;
	bool knows; /* of the new epoch */
	bool cut;   /* its sessions at those that stay have passed, and it does not know why */
	byte raise;
}
contender who[CONTENDERS];
byte last, holders;
hidden byte far;

#define I          who[r]
#define OTHER      (1 - r)
#define MAX(a, b)  ((a) > (b) -> (a) : (b))
#define TOKEN(m)   at[m].token
#define BASE(m)    (at[m].token > 0 -> at[m].token : at[m].floor)
#define KNOWN(m)   at[m].known[r]
#define AT(t)      ((KNOWN(0) == (t)) + (KNOWN(1) == (t)) + (KNOWN(2) == (t)) + (KNOWN(3) == (t)))
#define COUNTED    (4 - AT(0))
#define HIGHEST(f) MAX(MAX(f(0), f(1)), MAX(f(2), f(3)))
#define LARGEST    HIGHEST(KNOWN)

c_decl {
#define SWAP(type, a, b) do { type swap_ = a; a = b; b = swap_; } while (0)
}
c_code {
static void who_order(void)
{
	int m;

	if (memcmp(&now.who[0], &now.who[1], sizeof now.who[0]) <= 0)
		return;
	SWAP(struct contender, now.who[0], now.who[1]);
	for (m = 0; m < 4; m++) {
		struct member *at = &now.at[m];
		SWAP(uchar, at->voted[0], at->voted[1]);
		SWAP(uchar, at->lined[0], at->lined[1]);
		SWAP(uchar, at->known[0], at->known[1]);
		if (at->holder < 2)
			at->holder = 1 - at->holder;
	}
}
}
#define SORT ; c_code { who_order(); }

inline hold(t)
{
	assert(holders == 0);
	assert(t > last);
	last = t;
	holders++;
	I.phase = HOLDS;
	KNOWN(0) = (KNOWN(0) > 0);
	KNOWN(1) = (KNOWN(1) > 0);
	KNOWN(2) = (KNOWN(2) > 0);
	KNOWN(3) = (KNOWN(3) > 0)
}

inline rest(r, m)
{
	KNOWN(m) = 0; at[m].voted[r] = true; at[m].lined[r] = false
}

inline done(r)
{
	if
	:: I.phase == HOLDS -> holders--
	:: else -> skip
	fi;
	I.phase = DONE;
	I.knows = true; I.cut = false;
	rest(r, 0); rest(r, 1); rest(r, 2); rest(r, 3);
	I.raise = (at[0].holder == r || at[1].holder == r || at[2].holder == r || at[3].holder == r -> I.raise : 0)
}

/* A holder that has lost its majority knows it. */
inline look(r)
{
	if
	:: I.phase == HOLDS && COUNTED < 2 -> done(r)
	:: else -> skip
	fi
}

#define IN_MINE(m) (m < OUT || (m == OUT && !I.knows) || (m == IN && I.knows))
#ifdef BUG_OLD_MEMBER
#define FORGET_OUT skip
#define MINE(m)    (m == OUT || IN_MINE(m))
#else
#define FORGET_OUT KNOWN(OUT) = 0; at[OUT].voted[r] = true; \
	at[OUT].holder = (at[OUT].holder == r -> FREE : at[OUT].holder)
#define MINE(m)    IN_MINE(m)
#endif

#ifdef BUG_NO_EPOCH
#define OPEN(m) (at[m].epoch == OLD || (m == IN && at[m].epoch == NEW && I.knows))
#define NEWS(m) (at[IN].epoch == NEW)
#else
#ifdef BUG_UNLOCKED
#define OPEN(m) (at[m].epoch != NEW && m != IN || at[m].epoch == NEW && I.knows)
#else
#define OPEN(m) (at[m].epoch == OLD || at[m].epoch == NEW && I.knows)
#endif
#define NEWS(m) (m < OUT && at[m].epoch != OLD)
#endif
#ifdef BUG_RAISE_EPOCH
#define RAISES(m) true
#else
#define RAISES(m) OPEN(m)
#endif

#define MAY_VOTE(m) (!at[m].voted[r] && at[m].holder == FREE && OPEN(m))

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

#ifdef BUG_LINE
#define CHECKED(m) true
#else
#define CHECKED(m) (!at[m].lined[r] || at[m].epoch == OLD || I.knows)
#endif

#ifdef FAR
#define VOTE_FAR(m) :: d_step { MAY_VOTE(m) && BASE(m) < HIGHEST(TOKEN) -> vote(m, true) SORT }
#else
#define VOTE_FAR(m)
#endif

#define BETWEEN(m) \
	:: d_step { MAY_VOTE(m) -> vote(m, false) SORT } \
	VOTE_FAR(m) \
	:: d_step { I.phase == TRIES && at[m].holder == r && KNOWN(m) != at[m].token && MINE(m) && CHECKED(m) && \
		(m >= OUT || !I.cut) -> KNOWN(m) = at[m].token SORT } \
	:: d_step { I.phase == HOLDS && at[m].holder == r && KNOWN(m) == 0 && MINE(m) && CHECKED(m) && \
		(m >= OUT || !I.cut) -> KNOWN(m) = 1 SORT } \
	:: d_step { I.raise > at[m].token && at[m].holder == r && RAISES(m) -> at[m].token = I.raise SORT } \
	:: d_step { I.phase != DONE && at[m].holder == r -> at[m].holder = FREE; KNOWN(m) = 0; look(r) SORT } \
	:: d_step { I.phase == DONE && at[m].holder == r -> at[m].holder = FREE; done(r) SORT } \
	HAND_OVER(m) \
	:: d_step { NEWS(m) && !I.knows -> I.knows = true; I.cut = false; FORGET_OUT; look(r) SORT } \
	:: d_step { I.phase == TRIES && KNOWN(m) > 0 && AT(KNOWN(m)) >= 2 -> hold(KNOWN(m)) SORT }

#ifdef LINE
#define HAND_OVER(m) \
	:: d_step { I.phase == DONE && at[m].holder == r && !at[m].voted[OTHER] && m != IN -> \
		at[m].holder = OTHER; at[m].token++; at[m].voted[OTHER] = true; at[m].lined[OTHER] = true; \
		done(r) SORT }
#else
#define HAND_OVER(m)
#endif

proctype contends(byte r)
{
end:
	do
	BETWEEN(0)
	BETWEEN(1)
	BETWEEN(2)
	BETWEEN(3)
	:: d_step { I.phase == TRIES && COUNTED >= 2 && LARGEST > I.raise && AT(LARGEST) < 2 ->
		I.raise = LARGEST SORT }
	:: d_step { I.phase != DONE -> done(r) SORT }
	od
}

/* ---- replace --------------------------------------------------------------------------------- */

/* A replace that finds all closed already: by the one that was killed. */
#define ALL_CLOSED (at[0].epoch != OLD && at[1].epoch != OLD)

inline cut_off(r)
{
	if
	:: !I.knows -> I.cut = true; KNOWN(0) = 0; KNOWN(1) = 0; look(r)
	:: else -> skip
	fi
}

#if defined(BUG_NO_WAIT) || defined(BUG_NO_EPOCH)
#define WAIT skip
#elif defined(BUG_RESUME_NO_WAIT)
#define WAIT if :: found -> skip :: else -> cut_off(0); cut_off(1) fi
#else
#define WAIT cut_off(0); cut_off(1)
#endif
#if defined(BUG_NO_EPOCH)
#define CLOSE(m) skip
#elif defined(BUG_ONE_CLOSED)
#define CLOSE(m) at[m].epoch = (at[m].epoch == OLD && m == 0 -> CLOSED : at[m].epoch)
#else
#define CLOSE(m) at[m].epoch = (at[m].epoch == OLD -> CLOSED : at[m].epoch)
#endif
#ifdef BUG_NO_FLOOR
#define FLOOR skip
#else
#define FLOOR at[IN].floor = (at[IN].epoch == CLOSED -> MAX(at[IN].floor, seen) : at[IN].floor)
#endif
#ifdef FLOOR_FIRST
#define S_CLOSE 0
#define S_READ  2
#define S_WAIT  4
#else
#define S_CLOSE 0
#define S_WAIT  2
#define S_READ  3
#endif
#ifdef BUG_ONE_CLOSED
#define BASE_1 0
#else
#define BASE_1 BASE(1)
#endif

#define OPENED(m) at[m].epoch = (at[m].epoch == CLOSED -> NEW : at[m].epoch)

proctype replaces()
{
	byte step, seen;
	bool twice, found;

end:
	do
	:: d_step { step == S_CLOSE -> found = ALL_CLOSED; CLOSE(0); step++ SORT }
	:: d_step { step == S_CLOSE + 1 -> CLOSE(1); step++ SORT }
	:: d_step { step == S_WAIT -> WAIT; step++ SORT }
	:: d_step { step == S_READ -> seen = BASE(0); step++ SORT }
	:: d_step { step == S_READ + 1 -> seen = MAX(seen, BASE_1); step++ SORT }
	:: d_step { step == 5 -> FLOOR; seen = 0; step++ SORT }
	:: d_step { step == 6 -> OPENED(0); step++ SORT }
	:: d_step { step == 7 -> OPENED(1); step++ SORT }
	:: d_step { step == 8 -> OPENED(IN); step++; twice = true; found = false SORT }
#ifdef RESUMES
	:: d_step { step > 0 && !twice -> step = 0; seen = 0; twice = true }
#endif
	od
}

init
{
	atomic {
		at[0].holder = FREE; at[1].holder = FREE; at[2].holder = FREE; at[3].holder = FREE;
		at[0].epoch = OLD; at[1].epoch = OLD; at[2].epoch = OLD; at[3].epoch = CLOSED;
		if
		:: skip
		:: at[1].token = 1; at[2].token = 2; last = 1
		:: at[0].token = 1; at[1].token = 2; last = 1
		fi;
		run contends(0);
		run contends(1);
		run replaces()
	}
}
