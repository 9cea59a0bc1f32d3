/* SPDX-License-Identifier: MIT */
/*
 * Death by the kernel's word (src/base/mark.h), beside all that could cross it: heartbeats that arrive late,
 * burial by watching, hand-over, and the processes of `dblock run`, each of which may be killed or stopped
 * at any moment. For Spin (spinroot.com); tests/build/model.sh runs it, as it is, and once with each of the
 * bugs that can be planted: BUG_ABSENT, BUG_BLIND, BUG_KEEPER_ALONE, BUG_EARLY, BUG_COPY.
 *
 * One holder, one who waits. The holder's session has a row: its beat, and whether it is dead. Time goes in
 * ticks, at the same rate for both; MARGIN is what the holder takes off the ttl.
 */
#define TTL    3
#define MARGIN 1
#define BEATS  3 /* so many may be sent */

/* The row. */
byte beat = 1;
bool dead = false;
bool granted = false; /* to who waits */

/* The holder's processes. The command has a child: it is killed with its parent's guardian, or by who is left
 * of the three; `closed`: the command's side has closed the descriptor that it inherited. */
bool front = true, keeper = true, guardian = true, command = true;
bool keeper_stopped = false, guardian_stopped = false;
bool closed = false, doomed = false; /* doomed: the kernel has sent KILL to the command */

/* What the keeper believes, and when it sent what. */
byte age = 0;      /* of the last beat that was answered, since it was sent */
byte sent_age = 0; /* of the beat that is under way, */
bool sent = false; /* if there is one */
byte next = 1;     /* the last that was drawn */
byte noted = 1;    /* in the file: this one, and the one before */
bool arrived = false;

/* Who waits */
bool watched = false; /* has looked once, */
byte seen = 0;        /* seen this beat, */
byte watch_age = 0;   /* and waited so long since */
bool gone = false;

/* Is there another copy of this machine, whose keeper lives, and has sent a beat of its own? */
bool copied = false;

#define BELIEVES  (keeper && age < TTL - MARGIN)
#define CAN_WRITE (command && !doomed)
#ifdef BUG_KEEPER_ALONE
#define MARKED keeper
#else
#define MARKED (front || keeper || guardian || (command && !closed))
#endif

/* Time stands still as long as somebody who acts in time has something to do: the guardian, unless it stands
 * still itself, and else the keeper or the front, which send it on. */
#define IN_TIME (!(CAN_WRITE && age + 1 >= TTL - MARGIN && (guardian || keeper || front)))

active proctype keeper_beats()
{
	do
	:: atomic { keeper && !keeper_stopped && !sent && next < BEATS && age < TTL - MARGIN ->
		next++; noted = next; sent = true; arrived = false; sent_age = 0 }
	:: atomic { keeper && !keeper_stopped && sent && arrived -> /* the answer */
		if
		:: !dead && age < TTL - MARGIN -> age = sent_age
		:: else -> skip
		fi;
		sent = false }
	:: atomic { keeper && !keeper_stopped && sent -> sent = false } /* the answer is lost */
	od
}

/* The network: a beat that was sent arrives, even if its sender is dead by then, or not. */
active proctype network()
{
	byte b;

	do
	:: atomic { sent && !arrived -> b = next;
		if
		:: !dead && (beat == b || beat + 1 == b || beat + 2 == b) -> beat = b
		:: else -> skip
		fi;
		arrived = true }
	od
}

active proctype time()
{
	do
	:: atomic { IN_TIME && age < 2 * TTL -> age++; sent_age++;
		if
		:: watched && watch_age < TTL -> watch_age++
		:: else -> skip
		fi;
		if
		:: copied -> beat++ /* the other one beats on */
		:: else -> skip
		fi }
	od
}

/* The guardian ends the command before the deadline; the keeper, or the front, where it is dead. Each ends
 * itself only when nothing of the command is left. */
active proctype guards()
{
	do
	:: atomic { guardian && !guardian_stopped && command && (!keeper || age + 1 >= TTL - MARGIN) ->
		command = false }
	:: atomic { guardian && guardian_stopped && (keeper || front) -> guardian_stopped = false }
	:: atomic { keeper && keeper_stopped && front -> keeper_stopped = false }
	:: atomic { !guardian && keeper && !keeper_stopped && command -> command = false }
	:: atomic { !guardian && !keeper && front && command -> command = false }
#ifdef BUG_EARLY
	:: atomic { guardian && !guardian_stopped && !keeper -> guardian = false }
	:: atomic { front && !keeper -> front = false }
#else
	:: atomic { guardian && !command && !keeper -> guardian = false }
	:: atomic { front && !keeper && !guardian && !command -> front = false }
#endif
	:: atomic { command && doomed -> command = false }
	od
}

/* Whatever may befall them. */
active proctype fate()
{
	do
	:: atomic { front -> front = false }
	:: atomic { keeper -> keeper = false }
	:: atomic { guardian -> guardian = false; doomed = true } /* PDEATHSIG, for the command alone */
	:: atomic { command -> command = false }
	:: keeper_stopped = true
	:: guardian_stopped = true
	:: atomic { command && !closed && (front || keeper || guardian) -> closed = true }
#ifdef COPIES
	:: atomic { !copied && !dead && keeper && noted < BEATS -> /* this machine was cloned: there it beats on */
		copied = true; keeper = false; front = false; guardian = false; command = false;
		beat = BEATS }
#endif
	od
}

/* ---- who waits ------------------------------------------------------------------------------- */

/* The row says that its holder is dead: whoever believes or writes now is harmed. */
inline hand_over()
{
	atomic {
		if
		:: dead && !granted ->
			granted = true;
			assert(!BELIEVES);
			assert(!CAN_WRITE);
			assert(!copied)
		:: else -> skip
		fi
	}
}

/* Declares the session dead, if its beat is still what was seen. */
inline bury()
{
	atomic {
#ifdef BUG_BLIND
		dead = true
#else
		if
		:: seen == beat -> dead = true
		:: else -> watched = false
		fi
#endif
	}
}

active proctype waits()
{
	do
	:: atomic { !granted && !dead && (!watched || seen != beat) ->
		seen = beat; watched = true; watch_age = 0 }
	:: atomic { !granted && watched && !dead ->
#ifdef BUG_ABSENT
		gone = !MARKED || closed /* the file is not to be found here: so it is dead */
#elif defined(BUG_COPY)
		gone = !MARKED
#else
		gone = !MARKED && (seen == noted || seen + 1 == noted || seen + 2 == noted)
#endif
	   }
	   if
	   :: gone -> bury(); hand_over()
	   :: else -> skip
	   fi
	:: watched && watch_age >= TTL && !dead -> bury(); hand_over()
	:: granted -> break
	od
}
