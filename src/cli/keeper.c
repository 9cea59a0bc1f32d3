/* SPDX-License-Identifier: MIT */
#include "keeper.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exits.h"
#include "guardian.h"
#include "tree.h"

int dbl_keeper_begin(struct dbl_guard *guard)
{
	guard->keeper = getpid();
	guard->signals->parent = guard->front;
	prctl(PR_SET_NAME, "dblock-keeper");
	/* If the guardian is killed, what it guarded becomes ours. */
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

/* The clock is read first: if we are stopped between the two, the deadline is too early. */
static void write_deadline(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	int64_t now = dbl_guard_now();

	guard->page->deadline = now + dblock_remaining_ms(lock) * 1000;
}

/* CHLD tells it to look at the page. */
static void order(const struct dbl_guard *guard, enum dbl_order order)
{
	guard->page->order = order;
	kill(guard->page->guardian, SIGCHLD);
}

/* From now on the terminal and the shell's job control do not concern us: ^Z stops the command, and
 * we keep its lock. What we have to say is said, wherever the job is. */
static void leave_job(void)
{
	setsid();
}

/* Has it ended? If it was only stopped, it must not be. */
static bool has_ended(pid_t guardian)
{
	int status;

	if (waitpid(guardian, &status, WNOHANG | WUNTRACED) != guardian)
		return false;
	if (!WIFSTOPPED(status))
		return true;
	kill(guardian, SIGCONT);
	return false;
}

void dbl_keeper_requested(void *arg, struct dblock_lock *lock, const struct dblock_request *request)
{
	const struct dbl_guard *guard = arg;

	(void)lock;
	dbl_cli_note(guard->cli, "lock '%s' is asked for by %s:%" PRId64 " (%s)%s%s", guard->name,
		     request->host, request->pid, request->app, *request->reason ? ": " : "",
		     request->reason);
	guard->page->requested = true;
	/* Our main thread waits for that, among others: it knows whether there is a guardian. */
	kill(getpid(), SIGCHLD);
}

/* That of its name; and of several, each. */
static void write_tokens(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	struct dblock_part part = {.size = sizeof(part)};

	for (size_t i = 0; dblock_part(lock, i, &part); i++) {
		guard->page->tokens[i] = part.token;
		if (strcmp(part.name, guard->name) == 0)
			guard->page->token = part.token;
	}
}

int dbl_keeper_run(const struct dbl_guard *guard, const struct dblock_lock *lock)
{
	pid_t guardian = guard->page->guardian;
	bool told = false;
	pid_t spared = 0;
	siginfo_t info;

	leave_job();
	write_tokens(guard, lock);
	write_deadline(guard, lock);
	order(guard, DBL_ORDER_START);
	while (!has_ended(guardian)) {
		int signo = dbl_guard_sleep(guard, guard->tick, &info);

		if (signo > 0 && signo != SIGCHLD)
			kill(guardian, signo);
		if (guard->page->requested && !told) {
			told = true;
			kill(guardian, SIGCHLD);
		}
		if (guard->page->order == DBL_ORDER_START && getppid() != guard->front)
			order(guard, DBL_ORDER_END);
		write_deadline(guard, lock);
	}
	guard->page->guardian = 0;
	if (guard->page->outcome == DBL_OUTCOME_NONE) {
		dbl_tree_end(&spared);
		guard->page->spared = spared;
	}
	return dbl_guard_code(guard);
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
