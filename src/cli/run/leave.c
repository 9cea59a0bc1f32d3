/* SPDX-License-Identifier: MIT */
#include "cli/run/guard.h"

#include <pthread.h>
#include <unistd.h>

#include <dblock/loss.h>

enum {
	PATIENCE_MS = 10000,
	PATIENCE_LOST_MS = 2000,  /* after a loss, or if the lock was not taken */
	PATIENCE_SILENT_MS = 200, /* the database does not answer already */
};

#define US_PER_MS 1000LL

/* Static, as the thread that does it may outlive our wait for it. */
static struct leaving {
	const struct dbl_guard *guard;
	struct dblock_client *client;
	struct dblock_lock *lock;
	int code;
	_Atomic int64_t freed; /* when it was known that others can have it; 0: it is not yet */
	atomic_bool done;
} leaving;

/* Release the lock after the command; if it had been lost, tell so, and change the exit code. */
static int give_back(const struct dbl_guard *guard, struct dblock_lock *lock, int code)
{
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_error err = {0};
	bool valid = dblock_valid(lock, 0);
	bool lost = dblock_loss_of(lock, &loss) == DBLOCK_LOST;
	int rc = dblock_release(lock, &err);

	/* What the guardian did has been told. */
	if (guard->page->outcome != DBL_OUTCOME_COMMAND)
		return code;
	/* If the database cannot tell, our own clock does. */
	if (rc == DBLOCK_LOST || (rc != DBLOCK_OK && !valid)) {
		dbl_cli_error(guard->cli, "lock '%s' was lost while the command ran: %s",
			      dbl_guard_name(guard), lost ? loss.text : err.message);
		return code == DBL_EXIT_OK ? DBL_EXIT_LOST : code;
	}
	if (rc != DBLOCK_OK)
		dbl_cli_error(guard->cli, "lock '%s' could not be released: %s",
			      dbl_guard_name(guard), err.message);
	return code;
}

/* The command has succeeded: mark its slot as done. */
static int mark(const struct dbl_guard *guard, struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int rc = dblock_once_done(lock, &err);

	if (rc == DBLOCK_OK)
		return DBL_EXIT_OK;
	dbl_cli_error(guard->cli, "the command is done, but its slot could not be marked: %s",
		      err.message);
	if (rc < 0)
		dblock_release(lock, NULL);
	return dbl_cli_exit(guard->cli, rc);
}

static void *leave(void *unused)
{
	const struct dbl_guard *guard = leaving.guard;
	bool done = guard->slot && leaving.code == DBL_EXIT_OK &&
		    guard->page->outcome == DBL_OUTCOME_COMMAND;

	(void)unused;
	if (leaving.lock)
		leaving.code = done ? mark(guard, leaving.lock)
				    : give_back(guard, leaving.lock, leaving.code);
	leaving.freed = dbl_now_us();
	kill(getpid(), SIGCHLD); /* our main thread waits for it */
	dblock_close(leaving.client, NULL);
	leaving.done = true;
	kill(getpid(), SIGCHLD);
	return NULL;
}

static int64_t grace_ms(const struct dbl_guard *guard, const struct dblock_lock *lock, int code)
{
	if (!lock && code == DBL_EXIT_UNREACHABLE)
		return PATIENCE_SILENT_MS;
	if (!lock || guard->page->outcome != DBL_OUTCOME_COMMAND)
		return PATIENCE_LOST_MS;
	return guard->cli->timeout_ms ? guard->cli->timeout_ms : PATIENCE_MS;
}

/* Not exit(), as the library is still at work. */
static _Noreturn void give_up(const struct dbl_guard *guard, bool held, int64_t after_us, int code)
{
	char after[DBL_DURATION_TEXT];

	dbl_duration_text(after_us / 1000, after);
	if (held)
		dbl_cli_error(guard->cli,
			      "lock '%s' could not be released: the database did not answer "
			      "within %s; others get it when its time is over",
			      dbl_guard_name(guard), after);
	_exit(code);
}

/* Once others can have it a cluster's members that do not answer are not waited for. */
static int64_t left_us(const struct dbl_guard *guard, int64_t end)
{
	int64_t soon = leaving.freed + DBL_CLOSE_MS * US_PER_MS;
	bool is_over = leaving.freed && dbl_cli_is_cluster(guard->cli);

	return (is_over && soon < end ? soon : end) - dbl_now_us();
}

int dbl_leave(const struct dbl_guard *guard, struct dblock_client *client, struct dblock_lock *lock,
	      int code)
{
	int64_t began = dbl_now_us(), end = began + grace_ms(guard, lock, code) * US_PER_MS;
	pthread_t thread;
	siginfo_t info;

	leaving = (struct leaving){guard, client, lock, code, 0, false};
	if (pthread_create(&thread, NULL, leave, NULL) != 0) {
		leave(NULL);
		return leaving.code;
	}
	while (!leaving.done) {
		int64_t left = left_us(guard, end);
		int signo = left > 0 ? dbl_guard_sleep(guard, left, &info) : 0;

		if (!leaving.done && (left <= 0 || (signo > 0 && signo != SIGCHLD))) {
			pthread_detach(thread); /* nobody waits for it any more */
			give_up(guard, lock && !leaving.freed, dbl_now_us() - began,
				leaving.freed ? leaving.code : code);
		}
	}
	pthread_join(thread, NULL);
	return leaving.code;
}
