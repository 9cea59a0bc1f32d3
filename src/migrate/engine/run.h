/* SPDX-License-Identifier: MIT */
/* One call on migrations, from its beginning to its end: what it wants, its connection, what it has
 * seen. The commands read it, and write `down` only. */
#ifndef DBL_MIGRATE_RUN_H
#define DBL_MIGRATE_RUN_H

#include "migrate/engine/ask.h"
#include "migrate/history/history.h"

/* Why a call that failed may be tried again at once, and from where. */
enum dbl_again {
	DBL_AGAIN_NOT,
	DBL_AGAIN_LOOK,    /* somebody else was faster: look what there is to do now */
	DBL_AGAIN_WAIT,    /* somebody else is at it */
	DBL_AGAIN_CONNECT, /* the connection is lost, and the history will tell what was done */
	DBL_AGAIN_NEVER    /* not even then */
};

/* What this process knows better than the history: the connection was lost as it changed it. */
struct dbl_known {
	int64_t version;
	int64_t step; /* its outcome is known: */
	bool done;
};

struct dbl_run {
	const struct dbl_migrate *ask;
	struct dblock_migrate_options which; /* with defaults in place */
	const struct dbl_target *target;
	struct dbl_set set;
	struct dbl_history history;
	struct dbl_db *db; /* NULL: not connected */
	bool met;          /* the database has answered once */
	int64_t *began;    /* for each file: when we got to run it; 0: not, or told */
	int64_t done;      /* how many files this call has applied, or undone */
	bool down;         /* undo */
	int said;          /* what the callback returned */
	char by[401];
	/* gate.c */
	bool locked; /* the gate let us in, */
	bool inside; /* and for certain nobody else is */
	/* The last three since a file was last finished. */
	enum dbl_again again;
	int64_t lost_since; /* the connection; 0: it was not */
	unsigned overtaken; /* how often somebody else was faster */
	int64_t waited;     /* us, for others */
	/* job.c, stepwise.c */
	struct dbl_known known;
	/* note.c */
	int64_t since, since_here; /* when this call found something to do, by the database's clock
				      and by ours; 0: not asked */
};

/* What a call does; ctx is its own. */
typedef int dbl_run_cb(struct dbl_run *, void *ctx, struct dblock_error *err);

/* A call that only reads, once it is connected and has read the history. */
int dbl_run_once(const struct dbl_migrate *, dbl_run_cb *, void *ctx, struct dblock_error *err);

/* A call that changes something: until it is done, fails, or has failed too often. */
int dbl_run_attempts(const struct dbl_migrate *, dbl_run_cb *attempt, void *ctx,
		     struct dblock_error *err);

/* After a failure: is the connection lost? Then again = CONNECT. Returns rc. */
int dbl_run_lost(struct dbl_run *, int rc);

/* For the library's own statements: by the deadline of an answer. */
struct dbl_runner dbl_run_on(const struct dbl_run *);
int64_t dbl_run_deadline(const struct dbl_run *);

/* Read the history; tell what it says that we did. */
int dbl_run_look(struct dbl_run *, struct dblock_error *err);

/* Make the history, if it was not there at the last look. */
int dbl_run_make_history(struct dbl_run *, struct dblock_error *err);

/* Tell of one that is as its row says. */
void dbl_run_tell(struct dbl_run *, const struct dbl_step *, int64_t took);

/* This call applied it, or undid it (row == NULL). */
void dbl_run_done(struct dbl_run *, const struct dbl_file *, const struct dbl_past *row);

/* DBLOCK_CANCELED, if the caller wants to stop. */
int dbl_run_canceled(const struct dbl_run *, struct dblock_error *err);

/* To the caller's progress callback, if there is one. */
void dbl_run_say(const struct dbl_run *, struct dblock_migrate_progress *);

/* ---- gate.c --------------------------------------------------------------------------------- */

/* Somebody else is at it: tell, and sleep, twice as long each time. DBLOCK_BUSY: for long enough.
 */
int dbl_gate_wait(struct dbl_run *, int64_t *pause, struct dblock_error *err);
#define DBL_PAUSE_FIRST_US 25000
#define DBL_PAUSE_LAST_US  1000000

/* Be the only one who changes this scope. `wanted` (NULL: whatever) says whether there is anything
 * to do, after a new look while others are at it: else this ends with nothing done, outside. */
int dbl_gate_enter(struct dbl_run *, bool (*wanted)(struct dbl_run *, void *ctx), void *ctx,
		   struct dblock_error *err);
void dbl_gate_leave(struct dbl_run *);

/* Who is inside, as far as the database tells; "" if nobody. */
int dbl_gate_holder(const struct dbl_run *, char *who, size_t room, struct dblock_error *err);

/* BEGIN; where the database itself is the gate (a file), wait for it. */
int dbl_gate_begin(struct dbl_run *, struct dblock_error *err);

/* ---- note.c --------------------------------------------------------------------------------- */

/* Remember when this call began. */
int dbl_note_begin(struct dbl_run *, struct dblock_error *err);

/* What was noted of this file is over. */
int dbl_note_forget(struct dbl_run *, int64_t version, struct dblock_error *err);

/* ---- apply.c -------------------------------------------------------------------------------- */

/* The next file to be run, and its row; false: there is none. */
typedef bool dbl_next_cb(struct dbl_run *, void *ctx, struct dbl_step *);

/* Run files up, or down, one after another. */
int dbl_apply_each(struct dbl_run *, dbl_next_cb *next, void *ctx, struct dblock_error *err);

/* Run files of the library's own set, up or down, where they can be one transaction. `before` (may
 * be NULL) comes first in it, with the same ctx; what it returns other than 0 is the end. */
int dbl_apply_together(struct dbl_run *, dbl_next_cb *next, void *ctx, dbl_run_cb *before,
		       struct dblock_error *err);

#endif
