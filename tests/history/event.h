/* SPDX-License-Identifier: MIT */
/*
 * The clients of a stress run write these events, one on each line: the checker knows nothing else.
 *
 * All times are microseconds of CLOCK_BOOTTIME, which is one clock for all processes of a host, and
 * goes on while one of them is stopped. So of two events of two processes it is known which was
 * first, and there is no skew to argue about.
 */
#ifndef TESTS_HISTORY_EVENT_H
#define TESTS_HISTORY_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, meaning): the fields that the event has are in capitals. All have AT, and all but DOWN,
 * UP, SILENT, PULSE and OVER have a CLIENT. */
#define EVENT_KIND_MAP(X)                                                                          \
	X(OPENED, "a client is open; alone, its session would live UNTIL then")                    \
	X(CLOSED, "it has been closed, and everything was given back before")                      \
	X(CALLED, "THREAD asks for NAME, and will wait UNTIL then (0: for ever); WAIT is new")     \
	X(QUEUED, "this call has its TICKET")                                                      \
	X(CANCELING, "somebody asks this call to give up")                                         \
	X(GRANTED, "outcome: it has NAME, with TOKEN; the handle is valid UNTIL then, at least")   \
	X(DECLINED, "outcome: it has not, and OUTCOME says why")                                   \
	X(PRESENTED, "TOKEN was shown, in MODE, to what is protected, which had accepted BEFORE, " \
		     "and WROTE from who may write; OUTCOME 0: accepted. Afterwards the handle "   \
		     "was valid UNTIL then, 0: not any more")                                      \
	X(FENCING, "a transaction begins to prove that TOKEN has NAME")                            \
	X(FENCED, "OUTCOME 0: a transaction has proven that TOKEN, from then on, has NAME; UNTIL " \
		  "as before")                                                                     \
	X(WRITTEN, "in it TOKEN was written to what is protected, where BEFORE stood")             \
	X(COMMITTING, "it is about to be committed")                                               \
	X(COMMITTED, "it has come to its end; OUTCOME 0: it is committed")                         \
	X(UPGRADING, "it asks for MODE as well; the handle is valid UNTIL then, 0: not any more")  \
	X(UPGRADED, "OUTCOME 0: it has that, with TOKEN; UNTIL as before")                         \
	X(DOWNGRADING, "it is to go on in MODE; UNTIL as before")                                  \
	X(DOWNGRADED, "OUTCOME 0: it does; UNTIL as before")                                       \
	X(TOLD, "the holder is told that it has lost NAME")                                        \
	X(RELEASING, "a release begins; the handle is valid UNTIL then, 0: not any more")          \
	X(RELEASED, "it has ended, with OUTCOME; FENCED: it was none")                             \
	X(TAKEN, "WEIGHT of a rate have been taken, of which CAPACITY may be at once, and one "    \
		 "each LEASE; its turn came after BEFORE")                                         \
	X(BREAKING, "whoever has NAME is to be told that it is taken away, and waited for")        \
	X(FORCING, "whoever has NAME loses it at once, told or not")                               \
	X(BROKEN, "that has ended, with OUTCOME")                                                  \
	X(RESIZING,                                                                                \
	  "NAME is to have CAPACITY permits, from now on, for calls that go by what is stored")    \
	X(RESIZED, "OUTCOME 0: it has")                                                            \
	X(AGEING, "whoever waits for NAME is to count as if it had joined LEASE earlier")          \
	X(AGED, "OUTCOME 0: whoever waited then does")                                             \
	X(STALLED, "this process did not run from BEFORE on")                                      \
	X(RENEWED, "its session was over at some time after BEFORE: it has another one")           \
	X(KILLED, "this process is no more, by kill -9, which it was sent at BEFORE; 0: just now") \
	X(STOPPED, "this process stands still, by SIGSTOP")                                        \
	X(CONTINUED, "it goes on")                                                                 \
	X(CUT, "its connections were reset")                                                       \
	X(PARTED, "nothing comes through to the database, or back, and nobody is told")            \
	X(JOINED, "it does again")                                                                 \
	X(DOWN, "the database is about to be killed")                                              \
	X(UP, "the database is there again")                                                       \
	X(SILENT, "of a cluster's CAPACITY members WEIGHT answer nobody; so it is until the next") \
	X(PULSE, "a small piece of work on the machine and its database, begun BEFORE, is done")   \
	X(OVER, "the run is over: what has not ended by now never will")

enum event_kind {
#define X(name, meaning) EVENT_##name,
	EVENT_KIND_MAP(X)
#undef X
		EVENT_KINDS
};

/* The ticket of a call that got the lock without waiting in the queue, though others had to wait;
 * and of a call about which nothing is known, or that was allowed to pass others. */
enum { TICKET_NONE = -1, TICKET_UNKNOWN = 0 };

struct event {
	int64_t at;
	enum event_kind kind;
	int client;    /* one for each process; 0: the host */
	int thread;    /* of the process */
	int64_t wait;  /* one for each acquire of a client; a release by token alone has its own too
			*/
	char name[16]; /* the lock's; "" if it is about none */
	int64_t token, ticket, until, before;
	int64_t db_at;            /* the database's time of it; 0: not known */
	int outcome;              /* of enum dblock_outcome */
	int mode;                 /* enum dblock_mode: wanted (CALLED), or granted (GRANTED) */
	int64_t weight, capacity; /* of permits; also CALLED and GRANTED. OPENED: weight
				     is 1 if a release may be answered before the database knows */
	int64_t group; /* one for all calls for several names at once; 0: the call is alone */
	int64_t wrote; /* PRESENTED: WROTE */
	int64_t lease; /* CALLED: the lease that it asks for; 0: none. RELEASED: its
			  client may keep it idle for so long. TAKEN, AGEING: LEASE. OPENED: for so long a
			  statement may wait in the database for a row that somebody
			  has locked, and with it whatever its client asks next */
	int priority;  /* CALLED: of the wait */
};

enum { EVENT_TEXT_MAX = 400 };

int64_t event_now(void);

/* Returns the name of a kind, for example "GRANTED". */
const char *event_kind_name(enum event_kind);

/* Returns the name of a mode, for example "shared". */
const char *event_mode_name(int mode);

/* Writes an event as one line, with its end, and returns its length. */
size_t event_write(const struct event *, char text[EVENT_TEXT_MAX]);

/* Reads such a line; false: it is none. */
bool event_read(struct event *, const char *line);

/* Prints an event for people: times count from `zero`, and only fields that it has are shown. */
void event_describe(const struct event *, int64_t zero, char text[EVENT_TEXT_MAX]);

#endif
