/* SPDX-License-Identifier: MIT */
/* One call on migrations, from its beginning to its end: what it wants, its connection, what it has
 * seen. The commands read the struct, and write only `down`. */
#ifndef DBL_MIGRATE_RUN_H
#define DBL_MIGRATE_RUN_H

#include "migrate/engine/ask.h"
#include "migrate/history/history.h"

/* Why a call that failed may be tried again at once, and from where. */
enum dbl_again {
	DBL_AGAIN_NOT,     /* the outcome alone decides */
	DBL_AGAIN_LOOK,    /* somebody else was faster: look what there is to do now */
	DBL_AGAIN_WAIT,    /* somebody else runs the file */
	DBL_AGAIN_CONNECT, /* the connection is lost; the history will tell what was done */
	DBL_AGAIN_NEVER    /* not even if the connection is lost */
};

/* What this process knows better than the history, as the connection was lost while it wrote it. */
struct dbl_known {
	int64_t version;
	int64_t step; /* the statement whose outcome is known */
	bool done;    /* that outcome */
};

struct dbl_run {
	const struct dbl_migrate *ask;
	struct dblock_migrate_options which; /* as asked for, with the defaults */
	const struct dbl_target *target;
	struct dbl_set set;
	struct dbl_history history;
	struct dbl_db *db; /* NULL: not connected */
	bool met;          /* a connection was opened before */
	int64_t *began;    /* for each file: when we began to run it; 0: not begun, or told of */
	int64_t *rows;     /* for each file: how many rows its statements have changed since then */
	int64_t done;      /* how many files this call has applied, or undone */
	bool down;         /* the call undoes files */
	int said;          /* what the callback returned */
	char by[401];      /* who this process is, for the history */
	/* gate.c */
	bool locked; /* the gate let us in */
	bool inside; /* it is certain that nobody else is inside */
	/* The last three of these count from when a file was last finished. */
	enum dbl_again again;
	int64_t lost_since; /* when the connection was lost; 0: it was not */
	unsigned overtaken; /* how often somebody else was faster */
	int64_t waited;     /* us waited for others */
	/* job.c, stepwise.c */
	struct dbl_known known;
	/* tick.c */
	struct dbl_db *watch; /* a second connection; NULL: none */
	unsigned blind;       /* bit i: the way i to ask there has failed */
	/* note.c */
	int64_t since, since_here; /* when this call found something to do, by the database's clock
				      and by ours; 0: not asked */
};

/* The part of a call that differs between commands. */
typedef int dbl_run_cb(struct dbl_run *, void *ctx, struct dblock_error *err);

/* Runs a call that only reads: connects, reads the history, and calls back once. */
int dbl_run_once(const struct dbl_migrate *, dbl_run_cb *, void *ctx, struct dblock_error *err);

/* Runs a call that changes something: makes attempts while another one may help. */
int dbl_run_attempts(const struct dbl_migrate *, dbl_run_cb *attempt, void *ctx,
		     struct dblock_error *err);

/* After a failure: sets run->again if the connection is lost. Returns rc. */
int dbl_run_lost(struct dbl_run *, int rc);

/* How to run the library's own statements, and the deadline of a reply to one sent now. */
struct dbl_runner dbl_run_on(const struct dbl_run *);
int64_t dbl_run_deadline(const struct dbl_run *);

/* Reads the history, and tells the caller of what it says that we did. */
int dbl_run_look(struct dbl_run *, struct dblock_error *err);

/* Makes the history, if it was not there at the last look. */
int dbl_run_make_history(struct dbl_run *, struct dblock_error *err);

/* Tells the caller of one version. took: us; -1: this call did not run it. */
void dbl_run_tell(struct dbl_run *, const struct dbl_step *, int64_t took);

/* Notes, and tells the caller, that this call applied the file, or undid it (row == NULL). */
void dbl_run_done(struct dbl_run *, const struct dbl_file *, const struct dbl_past *row);

/* Returns DBLOCK_CANCELED if the caller wants to stop, else 0. */
int dbl_run_canceled(const struct dbl_run *, struct dblock_error *err);

/* Calls the caller's progress callback, if there is one. */
void dbl_run_say(const struct dbl_run *, struct dblock_migrate_progress *);

/* ---- gate.c --------------------------------------------------------------------------------- */

/* Tells that another process is at it, and sleeps, longer each time. DBLOCK_BUSY: long enough. */
int dbl_gate_wait(struct dbl_run *, int64_t *pause, struct dblock_error *err);
#define DBL_PAUSE_FIRST_US 25000
#define DBL_PAUSE_LAST_US  1000000

/* Makes this call the only one that changes its scope. While others are inside, it reads the
 * history anew, and returns 0, outside, once `wanted` (may be NULL) says that nothing is left to
 * do. */
int dbl_gate_enter(struct dbl_run *, bool (*wanted)(struct dbl_run *, void *ctx), void *ctx,
		   struct dblock_error *err);
void dbl_gate_leave(struct dbl_run *);

/* Writes who is inside, as far as the database tells; "" if nobody is. */
int dbl_gate_holder(const struct dbl_run *, char *who, size_t room, struct dblock_error *err);

/* Begins a transaction. If the database is a file, which is a gate itself, waits for it. */
int dbl_gate_begin(struct dbl_run *, struct dblock_error *err);

/* ---- note.c --------------------------------------------------------------------------------- */

/* Remembers when this call found something to do. */
int dbl_note_begin(struct dbl_run *, struct dblock_error *err);

/* Deletes the note about a version. */
int dbl_note_forget(struct dbl_run *, int64_t version, struct dblock_error *err);

/* ---- apply.c -------------------------------------------------------------------------------- */

/* Gives the next file to run, and its row; false: there is none. */
typedef bool dbl_next_cb(struct dbl_run *, void *ctx, struct dbl_step *);

/* The settings of a user's file: before it; in its transaction, as behind a pooler none stays
 * longer; and behind its statements, with our own rights. */
int dbl_run_set_session(struct dbl_run *, struct dblock_error *err);
int dbl_run_set_local(struct dbl_run *, struct dblock_error *err);
int dbl_run_own_role(struct dbl_run *, struct dblock_error *err);

/* Calls back once, with the settings that a user's file begins with: names mean what they mean there. */
int dbl_run_as_file(struct dbl_run *, dbl_run_cb *, void *ctx, struct dblock_error *err);

/* Runs files up, or down, one after another. */
int dbl_apply_each(struct dbl_run *, dbl_next_cb *next, void *ctx, struct dblock_error *err);

/* Runs files of the library's own set, up or down, in one transaction. `before` (may be NULL) is
 * called first in it, with the same ctx; if it returns not 0, all is rolled back. */
int dbl_apply_together(struct dbl_run *, dbl_next_cb *next, void *ctx, dbl_run_cb *before,
		       struct dblock_error *err);

#endif
