/* SPDX-License-Identifier: MIT */
/* What the processes of `dblock run` share; guardian.c has the drawing. */
#ifndef DBL_CLI_GUARD_H
#define DBL_CLI_GUARD_H

#include <stdatomic.h>
#include <sys/types.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

enum dbl_order {
	DBL_ORDER_NONE,
	DBL_ORDER_START, /* the lock is ours: run the command */
	DBL_ORDER_END    /* whoever wanted the command is gone: end it */
};

enum dbl_outcome {
	DBL_OUTCOME_NONE,    /* none yet; if the guardian is gone: it was killed */
	DBL_OUTCOME_COMMAND, /* the command came to its end by itself: `status` */
	DBL_OUTCOME_FAILED,  /* it could not be executed: `error` */
	DBL_OUTCOME_LATE,    /* the lock was lost before it was begun */
	DBL_OUTCOME_LOST,    /* ended by the guardian: the lock was, or was about to be, lost */
	DBL_OUTCOME_LEFT     /* ended by the guardian: the front was killed */
};

/* The shared page. Each field has one writer. */
struct dbl_page {
	/* keeper */
	_Atomic int64_t deadline; /* the lock is ours until then; us, CLOCK_BOOTTIME */
	_Atomic int64_t token;
	_Atomic int64_t tokens[DBLOCK_NAMES_MAX]; /* of several, in the order of dblock_part() */
	atomic_int order;
	atomic_bool requested;  /* somebody asks for the lock */
	atomic_bool lost;       /* the library says that it is not ours any more, */
	_Atomic int64_t let_go; /* and then others have it at the latest, as the deadline; 0: not
				   known yet */
	atomic_int caught;      /* the signal that ended the wait, or 0 */
	_Atomic pid_t guardian;
	/* the command, between fork and exec */
	_Atomic pid_t command; /* it has joined the job's group */
	atomic_int error;
	/* guardian */
	atomic_int outcome;
	atomic_int status;    /* of the command, as waitpid() says it */
	_Atomic pid_t spared; /* a process that may not be killed by us, or 0 */
};

struct dbl_guard {
	struct dbl_page *page;
	const struct dbl_cli *cli;
	struct dbl_signals *signals;
	const char *name;             /* the lock's */
	const char *slot;             /* of a job that is done once; or NULL */
	const struct dbl_texts *also; /* more locks, held together */
	char *const *command;
	pid_t front;
	pid_t keeper;
	int on_request; /* signal for the command if somebody asks for the lock; 0: none */
	bool lease;     /* it has an end of its own */
	/* microseconds: */
	int64_t life;       /* from the heartbeat that was sent last to the deadline */
	int64_t grace;      /* who takes it away waits so long for us, once we have heard of it */
	int64_t tick;       /* the page is written so often */
	int64_t kill_after; /* from TERM to KILL, if there is time */
	int64_t term_left;  /* TERM when so much is left of the lock's time */
	int64_t kill_left;  /* KILL at the latest when so much is left */
};

/* In the process that will be the front. False: no memory. What is given is kept. */
bool dbl_guard_init(struct dbl_guard *, const struct dbl_cli *, struct dbl_signals *,
		    char *const *command);

/* The page is not needed any more. */
void dbl_guard_fini(struct dbl_guard *);

/* Choose the times: see docs/user/cli.md, "If the lock is lost". lease_ms 0: it has none. */
void dbl_guard_plan(struct dbl_guard *, int64_t ttl_ms, int64_t lease_ms, int64_t kill_after_ms);

/* How long the lock has to live without renewal for so much time between TERM and KILL. */
int64_t dbl_guard_enough(int64_t kill_after_ms);

/* What the ttl has to be for that if a lease is taken away. */
int64_t dbl_guard_enough_ttl(int64_t kill_after_ms);

/* Wait for one of ours or CHLD, so long at most (negative: for ever). Returns its number, or
 * something else if none came. */
int dbl_guard_sleep(const struct dbl_guard *, int64_t us, siginfo_t *);

/* Has it ended? If it was only stopped it must not be, and is sent on its way, if `go_on`. */
bool dbl_guard_ended(pid_t, bool go_on, int *status);

/* /dev/null in place of the file descriptors 0 to `last`: whoever reads what the command writes
 * shall see the end when the command closes it, not when we do. */
void dbl_guard_drop_stdio(int last);

/* Be told of the death of our parent with a CHLD; false: it is dead already. */
bool dbl_guard_follow(pid_t parent);

/* The exit code for the outcome; says what is to be said about it. why: the lock was lost, if so.
 */
int dbl_guard_code(const struct dbl_guard *, const char *why);

/* ---- the process that the shell has started: front.c ----------------------------------------- */

/* Pass on to the keeper what is sent to us, until it ends. Returns the exit code. */
int dbl_front(const struct dbl_guard *, pid_t keeper);

/* The same for who will start another one: it keeps its input and output. */
int dbl_front_term(const struct dbl_guard *, pid_t keeper);

/* ---- who has the client, and the lock: keeper.c ---------------------------------------------- */

/* In the process forked by the front, before it opens a client: fork the guardian. Returns an exit
 * code, having said what is wrong. */
int dbl_keeper_begin(struct dbl_guard *);

/* We hold the lock: have the command run, and come back when it has ended, or was ended. Returns an
 * exit code, having said what is wrong. */
int dbl_keeper_run(const struct dbl_guard *, const struct dblock_lock *);

/* For struct dbl_take, on a thread of the library's: say so, and have the guardian told. */
void dbl_keeper_requested(void *guard, struct dblock_lock *, const struct dblock_request *);

/* Likewise: the guardian is to know at once. */
void dbl_keeper_lost(void *guard, struct dblock_lock *);

/* There will be no command: end the guardian, if there is one. */
void dbl_keeper_dismiss(const struct dbl_guard *);

/* ---- the keeper's last part, giving the lock back: leave.c ----------------------------------- */

/* All is over; lock: NULL if it was not had. Gives back what is held, marks what was done once, and
 * closes the client; says what went wrong. Returns the exit code: `code`, unless the lock turns out
 * to have been lost. If the database does not answer it is not waited for beyond one request's time
 * (after a loss, 2 s), nor beyond a signal: then this says so, and ends the process. */
int dbl_leave(const struct dbl_guard *, struct dblock_client *, struct dblock_lock *lock, int code);

/* ---- the command's parent: guardian.c -------------------------------------------------------- */

/* Fork it, from the keeper, before there is any thread or connection. It runs the command when it
 * is ordered to. Returns its pid; negative: errno says why not. */
pid_t dbl_guardian_fork(const struct dbl_guard *);

/* ---- the command: child.c -------------------------------------------------------------------- */

/* Start it, as a child of the guardian: with the signals and the environment that `dblock` was
 * given itself, plus DBLOCK_NAME and DBLOCK_TOKEN (and DBLOCK_SLOT), and in the job's process
 * group. Returns its pid; negative: it could not be forked. page->error says why it could not be
 * forked or executed. */
pid_t dbl_child_start(const struct dbl_guard *);

/* ---- all processes that come from one, their children and so on: tree.c ---------------------- */

/* Send a signal to each process below `top`, zombies left out. Returns how many were there and
 * could be sent it, -1 without /proc; one that we may not signal is put into *spared. */
int dbl_tree_signal(pid_t top, int signo, pid_t *spared);

/* We are their subreaper, so that none can leave: kill all that is below us, and wait until it is
 * gone. */
void dbl_tree_end(pid_t *spared);

#endif
