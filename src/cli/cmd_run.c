/* SPDX-License-Identifier: MIT */
/* dblock run NAME -- CMD: a command under a lock, with the habits of flock(1). */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "duration.h"
#include "exits.h"
#include "front.h"
#include "keeper.h"
#include "signal_name.h"
#include "take.h"

struct run_options {
	struct dbl_take take;
	int64_t ttl_ms;
	int64_t kill_after_ms;
	const char *on_request;
};

static const struct dbl_arg args[] = {
	DBL_TAKE_ARGS(run_options),
	{"conflict-exit-code", 'E', DBL_ARG_NUMBER, offsetof(struct run_options, take.busy), "CODE",
	 0, 255, "exit code if it cannot be had in time; default 75"},
	{"ttl", 0, DBL_ARG_DURATION, offsetof(struct run_options, ttl_ms), "DUR", DBLOCK_TTL_MIN_MS,
	 DBLOCK_TTL_MAX_MS, "free the lock if we are dead for so long; default 30s"},
	{"kill-after", 0, DBL_ARG_DURATION, offsetof(struct run_options, kill_after_ms), "DUR", 0,
	 DBLOCK_TTL_MAX_MS, "time from TERM to KILL if the lock is lost; default 5s"},
	{"on-request", 0, DBL_ARG_TEXT, offsetof(struct run_options, on_request), "SIGNAL", 0, 0,
	 "send it to CMD if somebody asks for the lock; default: none"},
	{0},
};

static const char about[] =
	"Takes the lock NAME, waiting for it if need be, runs CMD, and releases the lock.\n"
	"The exit code is CMD's: 128 + n if signal n ended it, 127 if it is not found, 126 if\n"
	"it cannot be executed. TERM, INT, HUP, QUIT, USR1 and USR2 are passed on to it. It\n"
	"finds the lock's name in $DBLOCK_NAME and the fencing token in $DBLOCK_TOKEN.\n"
	"\n"
	"The lock lives as long as this program: if it is killed, or its machine dies,\n"
	"others get the lock after --ttl. Before that, and whenever else the lock is lost,\n"
	"CMD and all that came from it get TERM and then KILL. Other exit codes: 75 (or -E)\n"
	"somebody else holds it, 76 the lock was lost.\n"
	"\n"
	"If somebody asks for the lock (`dblock request`), a line on stderr says who and why,\n"
	"and CMD gets the signal of --on-request.\n"
	"\n"
	"  dblock run nightly -- ./report.sh\n"
	"  dblock run -n deploy -E 0 -- make deploy\n";

/* Give it back after the command; says so and changes the exit code if it had been lost. */
static int give_back(const struct dbl_guard *guard, struct dblock_lock *lock, int code)
{
	struct dblock_error err = {0};
	bool valid = dblock_valid(lock, 0);
	int rc = dblock_release(lock, &err);

	/* What the guardian did has been said. */
	if (guard->page->outcome != DBL_OUTCOME_COMMAND)
		return code;
	/* If the database cannot tell, our own clock does. */
	if (rc == DBLOCK_LOST || (rc != DBLOCK_OK && !valid)) {
		dbl_cli_error(guard->cli, "lock '%s' was lost while the command ran", guard->name);
		return code == DBL_EXIT_OK ? DBL_EXIT_LOST : code;
	}
	if (rc != DBLOCK_OK)
		dbl_cli_error(guard->cli, "lock '%s' could not be released: %s", guard->name,
			      err.message);
	return code;
}

static int with_client(struct dbl_guard *guard, const struct run_options *o)
{
	struct dblock_client *client;
	struct dblock_lock *lock;
	struct dbl_take take = o->take;
	int code = dbl_cli_open(guard->cli, o->ttl_ms, &client);

	if (code != DBL_EXIT_OK)
		return code;
	take.requested = dbl_keeper_requested;
	take.requested_arg = guard;
	if (dbl_take(guard->cli, client, guard->name, &take, guard->signals, &lock, &code)) {
		code = dbl_keeper_run(guard, lock);
		code = give_back(guard, lock, code);
	}
	dblock_close(client);
	return code;
}

static int keep(struct dbl_guard *guard, const struct run_options *o)
{
	int code = dbl_keeper_begin(guard);

	if (code == DBL_EXIT_OK)
		code = with_client(guard, o);
	dbl_keeper_dismiss(guard);
	return code;
}

static int run(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct run_options *o = options;
	struct dbl_signals signals;
	struct dbl_guard guard;
	int on_request = o->on_request ? dbl_signal_number(o->on_request) : 0;
	pid_t keeper = -1;

	if (o->on_request && !on_request)
		return dbl_cli_usage(cli, "--on-request: there is no signal '%s'", o->on_request);
	dbl_signals_block(&signals);
	if (dbl_guard_init(&guard, cli, &signals, words->word[0], words->word + 1)) {
		dbl_guard_plan(&guard, o->take.lease_ms ? o->take.lease_ms : o->ttl_ms,
			       o->kill_after_ms);
		guard.on_request = on_request;
		keeper = fork();
	}
	if (keeper == 0)
		return keep(&guard, o);
	if (keeper > 0)
		return dbl_front(&guard, keeper);
	dbl_cli_error(cli, "no process for the lock can be started: %s", strerror(errno));
	return DBL_EXIT_INTERNAL;
}

static const char *const operands[] = {"NAME", "CMD", NULL};
static const struct run_options defaults = {DBL_TAKE_INIT, 30000, 5000, NULL};

const struct dbl_command dbl_command_run = {
	.name = "run",
	.usage = "NAME [OPTION]... [--] CMD [ARG]...",
	.summary = "run a command under a lock",
	.about = about,
	.args = args,
	.operands = {operands, 2, 2},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.run = run,
};
