/* SPDX-License-Identifier: MIT */
/* What the processes of `dblock run` share; guardian.c has a drawing of them. */
#ifndef DBL_CLI_GUARD_H
#define DBL_CLI_GUARD_H

#include <stdatomic.h>
#include <sys/types.h>

#include <dblock/pool.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

enum dbl_order {
	DBL_ORDER_NONE,
	DBL_ORDER_START, /* the lock is ours: run the command */
	DBL_ORDER_END    /* nobody wants the command any more: end it */
};

enum dbl_outcome {
	DBL_OUTCOME_NONE,    /* none yet; if the guardian is dead: it was killed */
	DBL_OUTCOME_COMMAND, /* the command ended by itself: `status` */
	DBL_OUTCOME_FAILED,  /* it could not be executed: `error` */
	DBL_OUTCOME_LATE,    /* the lock was lost before the command began */
	DBL_OUTCOME_LOST,    /* the guardian ended it: the lock was lost, or about to be */
	DBL_OUTCOME_LEFT     /* the guardian ended it: the front was killed */
};

/* The page that the processes share. Each field has one writer. */
struct dbl_page {
	/* written by the keeper: */
	_Atomic int64_t deadline; /* the lock is ours until then; us, CLOCK_BOOTTIME */
	_Atomic int64_t token;
	_Atomic int64_t tokens[DBLOCK_NAMES_MAX]; /* of each, in the order of dblock_member_of() */
	char name[DBLOCK_NAME_MAX +
		  1]; /* of any one of several: which; before the order to start */
	_Atomic int64_t permits[DBLOCK_NUMBERED_MAX]; /* which it has; -1: no more */
	atomic_int order;
	atomic_bool requested;  /* somebody asks for the lock */
	atomic_bool lost;       /* the library says that the lock is lost, and */
	_Atomic int64_t let_go; /* others have it by then or by the deadline; 0: unknown */
	atomic_int caught;      /* the signal that ended the wait, or 0 */
	_Atomic pid_t guardian;
	/* written by the command's process, between fork and exec: */
	_Atomic pid_t command; /* it has joined the job's group */
	atomic_int error;
	/* written by the guardian: */
	atomic_int outcome;
	atomic_int status;    /* the command's, from waitpid() */
	_Atomic pid_t spared; /* a process that may not be killed by us, or 0 */
	atomic_bool kept;     /* it has ended, and what it left in the background keeps the lock */
};

struct dbl_guard {
	struct dbl_page *page;
	const struct dbl_cli *cli;
	struct dbl_signals *signals;
	const char *name;             /* the lock's; of any one of several: their list */
	const char *slot;             /* the slot of a job that is done once; or NULL */
	const struct dbl_texts *also; /* more locks, held together */
	bool any;                     /* of several, one is held */
	bool tree;                    /* the name is a path: the other locks are its own affair */
	char *const *command;
	int alive;    /* by which others tell that all of us have ended (alive.h); 0: nothing */
	bool lingers; /* what the command leaves in the background keeps the lock */
	pid_t front;
	pid_t keeper;
	int on_request; /* the signal that tells the command of a request; 0: none */
	bool lease;     /* the grant has an end of its own */
	/* times in microseconds: */
	int64_t life;       /* from the last heartbeat sent to the deadline, */
	int64_t margin;     /* and from there to when others may get in */
	int64_t grace;      /* how long others wait for us once we know of a loss */
	int64_t tick;       /* how often the page is written */
	int64_t kill_after; /* from TERM to KILL, if there is time */
	int64_t term_left;  /* TERM is sent when so much of the lock's time is left */
	int64_t kill_left;  /* KILL is sent at the latest when so much is left */
};

/* The name of the lock that is held, or of what is wanted. */
static inline const char *dbl_guard_name(const struct dbl_guard *guard)
{
	return guard->page->name[0] ? guard->page->name : guard->name;
}

/* In the process that becomes the front. False: there is no memory. The pointers are kept. */
bool dbl_guard_init(struct dbl_guard *, const struct dbl_cli *, struct dbl_signals *,
		    char *const *command);

/* The page is not needed any more. */
void dbl_guard_fini(struct dbl_guard *);

/* Choose the times: see docs/user/cli.md, "If the lock is lost". lease_ms 0: there is no lease. */
void dbl_guard_plan(struct dbl_guard *, int64_t ttl_ms, int64_t lease_ms, int64_t kill_after_ms);

/* How long the lock has to last without renewal for so much time between TERM and KILL. */
int64_t dbl_guard_enough(int64_t kill_after_ms);

/* The ttl that leaves so much time when a lease is taken away. */
int64_t dbl_guard_enough_ttl(int64_t kill_after_ms);

/* Wait for one of our signals or CHLD, no longer than `us` (negative: for ever). Returns its
 * number, or something else if none came. */
int dbl_guard_sleep(const struct dbl_guard *, int64_t us, siginfo_t *);

/* Has the process ended? If it was only stopped, it is continued, if `go_on`. */
bool dbl_guard_ended(pid_t, bool go_on, int *status);

/* Put /dev/null in place of the file descriptors 0 to `last`: a reader of the command's output has
 * to see its end when the command closes it, not when we do. */
void dbl_guard_drop_stdio(int last);

/* Close all descriptors from 3 on but that by which others tell that we live. */
void dbl_guard_close_rest(const struct dbl_guard *);

/* Something goes on that we may not kill: wait for its end, or until the lock may be another's in any
 * case. */
void dbl_guard_outlast(const struct dbl_guard *);

/* Get a CHLD when our parent dies; false: it is dead already. */
bool dbl_guard_follow(pid_t parent);

/* The exit code for the outcome; this also tells of it. why: the reason of a loss. */
int dbl_guard_code(const struct dbl_guard *, const char *why);

/* ---- the process that the shell has started: front.c ----------------------------------------- */

/* Pass our signals on to the keeper, until it ends. Returns the exit code. */
int dbl_front(const struct dbl_guard *, pid_t keeper);

/* The same for a process that will start another keeper: it keeps its input and output. */
int dbl_front_term(const struct dbl_guard *, pid_t keeper);

/* ---- the process with the client and the lock: keeper.c ------------------------------------- */

/* In the process that the front has forked, before it opens a client: fork the guardian. Returns an
 * exit code, having said what is wrong. */
int dbl_keeper_begin(struct dbl_guard *);

/* With the lock: have the command run, and return when it has ended, or was ended. Returns an exit
 * code, having said what is wrong. */
int dbl_keeper_run(const struct dbl_guard *, const struct dblock_lock *);

/* For struct dbl_take, on a thread of the library's: tell of the request, and tell the guardian. */
void dbl_keeper_requested(void *guard, struct dblock_lock *, const struct dblock_release_request *);

/* The same for a loss: tell the guardian at once. */
void dbl_keeper_lost(void *guard, struct dblock_lock *);

/* There will be no command: end the guardian, if there is one. */
void dbl_keeper_dismiss(const struct dbl_guard *);

/* ---- the keeper's last part, giving the lock back: leave.c ----------------------------------- */

/* The keeper's end; lock: NULL if it was not taken. Releases what is held, marks a job as done,
 * closes the client, and tells what went wrong. Returns the exit code: `code`, unless the lock
 * turns out to have been lost. It waits for the database no longer than one request may take (after
 * a loss, 2 s), nor after a signal: then it says so, and ends the process. */
int dbl_leave(const struct dbl_guard *, struct dblock_client *, struct dblock_lock *lock, int code);

/* ---- the command's parent: guardian.c -------------------------------------------------------- */

/* Fork the guardian, from the keeper, before there is any thread or connection. It runs the command
 * when it is ordered to. Returns its pid; negative: errno says why not. */
pid_t dbl_guardian_fork(const struct dbl_guard *);

/* ---- the command: child.c -------------------------------------------------------------------- */

/* Start the command, as a child of the guardian: with the signals and the environment that `dblock`
 * got itself, plus DBLOCK_NAME and DBLOCK_TOKEN (and DBLOCK_SLOT), and in the job's process group.
 * Returns its pid; negative: it could not be forked. page->error says why it could not be forked or
 * executed. */
pid_t dbl_child_start(const struct dbl_guard *);

/* ---- all processes that descend from one: tree.c --------------------------------------------- */

/* Send a signal to each process below `top` but zombies. Returns how many got it, -1 without /proc;
 * *spared becomes one that we may not signal. */
int dbl_tree_signal(pid_t top, int signo, pid_t *spared);

/* Kill all processes below us, and wait until they are gone. As we are their subreaper, none can
 * escape. */
void dbl_tree_end(pid_t *spared);

#endif
