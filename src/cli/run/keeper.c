/* SPDX-License-Identifier: MIT */
#include "cli/run/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dblock/loss.h>

int dbl_keeper_begin(struct dbl_guard *guard)
{
	guard->keeper = getpid();
	guard->signals->parent = guard->front;
	prctl(PR_SET_NAME, "dblock-keeper");
	/* If the guardian is killed, its children become ours. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	guard->page->guardian = dbl_guardian_fork(guard);
	if (guard->page->guardian < 0) {
		dbl_cli_error(guard->cli, "the guardian cannot be started: %s", strerror(errno));
		guard->page->guardian = 0;
		return DBL_EXIT_INTERNAL;
	}
	dbl_guard_drop_stdio(1);
	return dbl_guard_follow(guard->front) ? DBL_EXIT_OK : DBL_EXIT_INTERNAL;
}

/* Note a loss. Others have not yet heard that we know, so the grace begins now; only the first call
 * counts. Any thread may call this. */
static void write_lost(const struct dbl_guard *guard)
{
	int64_t unknown = 0;

	atomic_compare_exchange_strong(&guard->page->let_go, &unknown, dbl_now_us() + guard->grace);
	guard->page->lost = true;
}

/* The clock is read first: if we are stopped between the two readings, the deadline is too early.
 * The deadline of a lost lock stays: who broke it waits for us until then, or, for a lease, until
 * `let_go`. */
static void write_deadline(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	int64_t now = dbl_now_us(), left_ms = dblock_remaining_ms(lock);

	if (left_ms > 0)
		guard->page->deadline = now + left_ms * 1000;
	else
		write_lost(guard);
}

/* Give the guardian an order; CHLD tells it to look at the page. */
static void order(const struct dbl_guard *guard, enum dbl_order order)
{
	guard->page->order = order;
	kill(guard->page->guardian, SIGCHLD);
}

void dbl_keeper_requested(void *arg, struct dblock_lock *lock,
			  const struct dblock_release_request *request)
{
	const struct dbl_guard *guard = arg;

	(void)lock;
	dbl_cli_note(guard->cli, "lock '%s' is asked for by %s:%" PRId64 " (%s)%s%s",
		     dbl_guard_name(guard), request->host, request->pid, request->app,
		     *request->reason ? ": " : "", request->reason);
	guard->page->requested = true;
	/* Our main thread waits for CHLD, too: it knows whether there is a guardian. */
	kill(getpid(), SIGCHLD);
}

void dbl_keeper_lost(void *arg, struct dblock_lock *lock)
{
	const struct dbl_guard *guard = arg;

	(void)lock;
	write_lost(guard);
	kill(getpid(), SIGCHLD);
}

/* How much the guardian has to be told: 1 for a request, and 1 for a loss. */
static int news(const struct dbl_page *page)
{
	return page->requested + page->lost;
}

/* The exit code. If the guardian had to end the command, this tells why, and for how long no
 * heartbeat got through. */
static int code_of(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	int64_t silent = dbl_now_us() - (guard->page->deadline - guard->life);
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	char duration[DBL_DURATION_TEXT];

	dbl_duration_text(silent > 0 ? silent / 1000 : 0, duration);
	if (dblock_loss_of(lock, &loss) == DBLOCK_LOST)
		return dbl_guard_code(guard, loss.text);
	if (guard->lease)
		return dbl_guard_code(guard, "its lease comes to its end");
	snprintf(loss.text, sizeof(loss.text),
		 "no heartbeat got through for %s: the database could not be reached, or dblock "
		 "was stopped",
		 duration);
	return dbl_guard_code(guard, loss.text);
}

/* Write the token of the lock's name; and if there are several locks, each token. */
static void write_tokens(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	struct dblock_member part = DBLOCK_MEMBER_INIT;

	if (guard->any)
		snprintf(guard->page->name, sizeof(guard->page->name), "%s", dblock_name(lock));
	for (size_t i = 0; dblock_member_of(lock, i, &part); i++) {
		guard->page->tokens[i] = part.token;
		if (strcmp(part.name, dbl_guard_name(guard)) == 0)
			guard->page->token = part.token;
	}
	if (guard->tree)
		guard->page->tokens[0] = guard->page->token;
	for (size_t i = 0; i < DBLOCK_NUMBERED_MAX; i++)
		guard->page->permits[i] = dblock_permit_of(lock, i);
}

/* The command has ended, and what it has left in the background keeps the lock: our front exits, and
 * who reads its output has to see the end of it. */
static bool let_front_go(const struct dbl_guard *guard)
{
	dbl_guard_drop_stdio(2);
	kill(guard->front, SIGCHLD);
	return true;
}

int dbl_keeper_run(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	pid_t guardian = guard->page->guardian;
	int told = 0, status;
	bool kept = false;
	pid_t spared = 0;
	siginfo_t info;

	/* From now on the terminal and the shell's job control do not concern us: ^Z stops the
	 * command, while we keep its lock. What we have to say is printed wherever the job is. */
	setsid();
	write_tokens(guard, lock);
	write_deadline(guard, lock);
	order(guard, DBL_ORDER_START);
	while (!dbl_guard_ended(guardian, true, &status)) {
		int signo = dbl_guard_sleep(guard, guard->tick, &info);

		if (signo > 0 && signo != SIGCHLD)
			kill(guardian, signo);
		if (guard->page->kept && !kept)
			kept = let_front_go(guard);
		if (guard->page->order == DBL_ORDER_START && !kept && getppid() != guard->front)
			order(guard, DBL_ORDER_END);
		write_deadline(guard, lock);
		if (told != news(guard->page)) {
			told = news(guard->page);
			kill(guardian, SIGCHLD);
		}
	}
	guard->page->guardian = 0;
	/* It has ended well only by itself; else what came from the command has become ours. */
	if (guard->page->outcome == DBL_OUTCOME_NONE || !WIFEXITED(status)) {
		dbl_tree_end(&spared);
		guard->page->spared = spared;
	}
	dbl_guard_outlast(guard);
	return code_of(guard, lock);
}

void dbl_keeper_dismiss(const struct dbl_guard *guard)
{
	pid_t guardian = guard->page->guardian;

	if (!guardian)
		return;
	kill(guardian, SIGKILL);
	waitpid(guardian, NULL, 0);
	guard->page->guardian = 0;
}
