/* SPDX-License-Identifier: MIT */
/*
 * `dblock run` is three processes, for each can be killed or stopped without the others:
 *
 *       the shell
 *           |                                                  the job's process group
 *    +------|--------------------------------------------+     (what the terminal talks to)
 *    |    front                             the command  |
 *    +------|-----------------------------------|--------+
 *           |                                   |
 *        keeper  ---- shared page ---->     guardian           each in a session of its own
 *           |                                   |
 *           +-----------------------------------+              forked by the keeper, before
 *           |                                                  it has any thread
 *        the database
 *
 * The front is what the shell has started: it passes signals on to the keeper, stops and goes on
 * with its job (so ^Z gives the prompt back), and exits as the keeper says. The keeper has the
 * client: it takes the lock, and writes to the page until when it is certainly ours. The guardian
 * is the command's parent. It reads the page and ends the command in time, whether the database
 * does not answer, or the keeper is stopped, or dead. The command is in the job's group as it would
 * be without us: it reads the terminal, gets ^C and ^Z from it, and a pipeline is one job.
 *
 * Keeper and guardian are in that group until the lock is had, and then in sessions of their own: a
 * parent outside a group, but within its session, is what makes the kernel take that group for a
 * shell's job. Where no shell is, in cron's script, it could then be stopped for good by ^Z; and
 * with the command's end it would be orphaned: HUP for the whole script, if anything in it is
 * stopped.
 *
 * That group has others in it (the front, the rest of a pipeline, a whole script), so what is ended
 * is not a group but whatever comes from the command: the guardian is its subreaper, and even a
 * daemon that left group and session stays below it.
 *
 *   who dies      who knows                      what happens
 *   front         keeper: its parent changed     tells the guardian to end the command, releases
 *   keeper        guardian: its parent changed   ends the command before the deadline in the page
 *   guardian      keeper: waitpid()              the kernel kills the command (PDEATHSIG); the rest
 *                                                has become the keeper's, who kills it
 *   two of them                                  the last one, or PDEATHSIG, for the command alone
 *   all three                                    PDEATHSIG; who waits sees by the mark when the command
 *                                                has ended, and all that has the descriptor
 *
 * Who is stopped is sent on its way by its parent: the guardian by the keeper, the keeper by the
 * front (not while it waits, in the job: ^Z is for that). A guardian that dies while the keeper
 * stands still leaves nobody else who could end what the command has left behind.
 */
#include "cli/run/guard.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dblock/alive.h>

enum { KEPT_US = 200000 };

struct watch {
	const struct dbl_guard *guard;
	struct dbl_page *page;
	pid_t command;
	bool over;                /* the command has ended */
	bool alone;               /* and so have all processes that came from it */
	bool asked;               /* it was sent the signal for a request */
	enum dbl_outcome outcome; /* not NONE: TERM was sent */
	int64_t term_sent;
};

static bool keeper_lives(const struct dbl_guard *guard)
{
	return getppid() == guard->keeper;
}

static void reap(struct watch *watch)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != watch->command)
			continue;
		watch->page->status = status;
		watch->over = true;
	}
	watch->alone = pid < 0;
}

/* Has the command to be ended, and why? */
static enum dbl_outcome judge(const struct watch *watch)
{
	if (!keeper_lives(watch->guard) || watch->page->lost ||
	    watch->page->deadline - dbl_now_us() <= watch->guard->term_left)
		return DBL_OUTCOME_LOST;
	return watch->page->order == DBL_ORDER_END ? DBL_OUTCOME_LEFT : DBL_OUTCOME_NONE;
}

/* When KILL is due: kill_after after TERM, but before the lock may be another's. If a lease was
 * taken away, that may be before its deadline. */
static int64_t kill_time(const struct watch *watch)
{
	int64_t end = watch->page->deadline, let_go = watch->page->let_go;
	int64_t at_ease = watch->term_sent + watch->guard->kill_after, latest;

	if (let_go && let_go < end)
		end = let_go;
	latest = end - watch->guard->kill_left;
	return at_ease < latest ? at_ease : latest;
}

static void begin_end(struct watch *watch, enum dbl_outcome why)
{
	pid_t spared;

	watch->outcome = why;
	watch->term_sent = dbl_now_us();
	/* A stopped process handles TERM only when it goes on. */
	if (dbl_tree_signal(getpid(), SIGTERM, &spared) < 0)
		kill(watch->command, SIGTERM);
	if (dbl_tree_signal(getpid(), SIGCONT, &spared) < 0)
		kill(watch->command, SIGCONT);
}

static void end_all(struct watch *watch)
{
	pid_t spared = 0;

	dbl_tree_end(&spared);
	reap(watch);
	if (!watch->over && kill(watch->command, SIGKILL) == 0)
		waitpid(watch->command, NULL, 0);
	watch->page->spared = spared;
	if (!keeper_lives(watch->guard))
		dbl_guard_outlast(watch->guard);
}

/* Somebody asks for the lock. Like every other signal, this is for the command alone, as its group
 * has other processes in it. */
static void pass_request_on(struct watch *watch)
{
	if (watch->asked || !watch->page->requested)
		return;
	watch->asked = true;
	if (watch->guard->on_request && !watch->over)
		kill(watch->command, watch->guard->on_request);
}

/* Sleep until there is something to do; pass signals on to the command. A signal that was sent to
 * all processes of the job, or the machine, has reached it without us. */
static void doze(struct watch *watch)
{
	int64_t due = watch->outcome == DBL_OUTCOME_NONE
			      ? watch->page->deadline - watch->guard->term_left
			      : kill_time(watch);
	int64_t left = due - dbl_now_us();
	siginfo_t info;
	int signo;

	/* That somebody closes the descriptor, and lives on, is seen by looking. */
	if (watch->page->kept && left > KEPT_US)
		left = KEPT_US;
	signo = dbl_guard_sleep(watch->guard, left > 0 ? left : 0, &info);

	if (signo > 0 && signo != SIGCHLD && info.si_pid == watch->guard->keeper && !watch->over)
		kill(watch->command, signo);
}

/* The command has ended: does what it has left in the background keep the lock? Then the front exits
 * as the command did, while we and the keeper stay. */
static bool is_kept(struct watch *watch)
{
	struct dbl_page *page = watch->page;

	if (!watch->guard->lingers || page->error || watch->alone ||
	    !dblock_alive_is_handed_on(watch->guard->alive))
		return false;
	if (!page->kept) {
		page->outcome = DBL_OUTCOME_COMMAND;
		page->kept = true;
		kill(watch->guard->keeper, SIGCHLD);
	}
	return true;
}

/* Watch the command until its end. */
static enum dbl_outcome keep_watch(struct watch *watch)
{
	for (;; doze(watch)) {
		enum dbl_outcome why = judge(watch);

		reap(watch);
		if (watch->outcome == DBL_OUTCOME_NONE && watch->over && !is_kept(watch))
			return watch->page->error ? DBL_OUTCOME_FAILED : DBL_OUTCOME_COMMAND;
		if (watch->outcome == DBL_OUTCOME_NONE && why != DBL_OUTCOME_NONE)
			begin_end(watch, why);
		if (watch->outcome == DBL_OUTCOME_NONE) {
			pass_request_on(watch);
			continue;
		}
		if (!watch->alone && dbl_now_us() >= kill_time(watch))
			end_all(watch);
		else if (!watch->alone)
			continue;
		return watch->outcome;
	}
}

/* early: a signal for the command that came before its start, or 0. */
static enum dbl_outcome run_command(const struct dbl_guard *guard, int early)
{
	struct watch watch = {.guard = guard, .page = guard->page};

	if (guard->page->deadline - dbl_now_us() <= guard->kill_left)
		return DBL_OUTCOME_LATE;
	watch.command = dbl_child_start(guard);
	if (watch.command > 0 && early)
		kill(watch.command, early);
	setsid();
	/* The readers of the command's output must not wait for us. */
	dbl_guard_drop_stdio(2);
	dbl_guard_close_rest(guard);
	return watch.command < 0 ? DBL_OUTCOME_FAILED : keep_watch(&watch);
}

/* Wait until the lock is ours; false: nobody wants it any more. */
static bool await_order(const struct dbl_guard *guard, int *early)
{
	siginfo_t info;

	while (keeper_lives(guard) && guard->page->order == DBL_ORDER_NONE) {
		int signo = dbl_guard_sleep(guard, -1, &info);

		if (signo > 0 && signo != SIGCHLD && info.si_pid == guard->keeper)
			*early = signo;
	}
	return keeper_lives(guard) && guard->page->order == DBL_ORDER_START;
}

pid_t dbl_guardian_fork(const struct dbl_guard *guard)
{
	pid_t pid = fork();
	int early = 0;

	if (pid)
		return pid;
	prctl(PR_SET_NAME, "dblock-guardian");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (dbl_guard_follow(guard->keeper) && await_order(guard, &early))
		guard->page->outcome = run_command(guard, early);
	_exit(0); /* not exit(): buffers and handlers are the parent's */
}
