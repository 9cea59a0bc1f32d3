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
#include "run.h"
#include "signal_name.h"

static const struct dbl_arg args[] = {
	DBL_TAKE_ARGS(dbl_run_options),
	{"conflict-exit-code", 'E', DBL_ARG_NUMBER, offsetof(struct dbl_run_options, take.busy),
	 "CODE", 0, 255, "exit code if it cannot be had in time; default 75"},
	{"also", 'a', DBL_ARG_TEXTS, offsetof(struct dbl_run_options, take.also), "NAME", 0, 0,
	 "and this lock: all or none; may be given again"},
	{"once", 0, DBL_ARG_TEXT, offsetof(struct dbl_run_options, take.slot), "SLOT", 0, 0,
	 "run it once for this slot, in all of the fleet"},
	DBL_RUN_TTL_ARG(dbl_run_options, ttl_ms),
	DBL_RUN_KILL_ARG(dbl_run_options, kill_after_ms),
	{"on-request", 0, DBL_ARG_TEXT, offsetof(struct dbl_run_options, on_request), "SIGNAL", 0,
	 0, "send it to CMD if somebody asks for the lock; default: none"},
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
	"With --once, CMD is not run if it was before, for the same SLOT of 1 to 64 bytes, by\n"
	"whoever came first: that is said, and the exit code is 0. If CMD exits with 0 the slot\n"
	"is marked as done; if it fails, or the lock is lost, it is still to be done. Who waits\n"
	"gets the slot if the one before fails or dies; with -n the exit code is 75 meanwhile.\n"
	"CMD finds the slot in $DBLOCK_SLOT.\n"
	"\n"
	"With -a NAME, once or several times, it takes those locks too: all of them or none, so\n"
	"that nobody waits for one while he holds another. $DBLOCK_TOKENS has a line for each:\n"
	"its token, a blank, and its name; $DBLOCK_NAME and $DBLOCK_TOKEN are of the first.\n"
	"\n"
	"If somebody asks for the lock (`dblock request`), a line on stderr says who and why,\n"
	"and CMD gets the signal of --on-request.\n"
	"\n"
	"  dblock run nightly -- ./report.sh\n"
	"  dblock run -n deploy -E 0 -- make deploy\n"
	"  dblock run from -a to -- ./move.sh\n"
	"  dblock run nightly --once \"$(date +%F)\" -- ./report.sh\n"
	"  dblock run -s data -- ./read.sh         beside others with -s, not beside a writer\n"
	"  dblock run -p 1/4 gpu -- ./train.sh     four of these at a time\n";

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

/* It came to its good end: the slot is done. */
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
	return dbl_exit_for(rc);
}

static int finish(const struct dbl_guard *guard, struct dblock_lock *lock, int code)
{
	if (guard->slot && code == DBL_EXIT_OK && guard->page->outcome == DBL_OUTCOME_COMMAND)
		return mark(guard, lock);
	return give_back(guard, lock, code);
}

static int with_client(struct dbl_guard *guard, const struct dbl_run_options *o)
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
		code = finish(guard, lock, code);
	}
	dblock_close(client);
	return code;
}

static int keep(struct dbl_guard *guard, const struct dbl_run_options *o)
{
	int code = dbl_keeper_begin(guard);

	if (code == DBL_EXIT_OK)
		code = with_client(guard, o);
	dbl_keeper_dismiss(guard);
	return code;
}

pid_t dbl_run_start(struct dbl_guard *guard, const struct dbl_cli *cli, struct dbl_signals *signals,
		    const struct dbl_run_options *o, const struct dbl_words *words, int *code)
{
	pid_t keeper = -1;

	if (dbl_guard_init(guard, cli, signals, words->word[0], words->word + 1)) {
		guard->slot = o->take.slot;
		guard->also = &o->take.also;
		dbl_guard_plan(guard, o->take.lease_ms ? o->take.lease_ms : o->ttl_ms,
			       o->kill_after_ms);
		guard->on_request = o->on_request ? dbl_signal_number(o->on_request) : 0;
		keeper = fork();
	}
	if (keeper == 0)
		*code = keep(guard, o);
	if (keeper < 0)
		dbl_cli_error(cli, "no process for the lock can be started: %s", strerror(errno));
	return keeper;
}

static int run(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct dbl_run_options *o = options;
	struct dbl_signals signals;
	struct dbl_guard guard;
	int code = dbl_take_check(cli, &o->take);
	pid_t keeper;

	if (o->on_request && !dbl_signal_number(o->on_request))
		return dbl_cli_usage(cli, "--on-request: there is no signal '%s'", o->on_request);
	if (code != DBL_EXIT_OK)
		return code;
	code = DBL_EXIT_INTERNAL;
	dbl_signals_block(&signals);
	keeper = dbl_run_start(&guard, cli, &signals, o, words, &code);
	return keeper > 0 ? dbl_front(&guard, keeper) : code;
}

static const char *const operands[] = {"NAME", "CMD", NULL};
static const struct dbl_run_options defaults = {DBL_TAKE_INIT, 30000, 5000, NULL};

_Static_assert(sizeof(defaults) <= DBL_OPTIONS_SIZE, "options fit");

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
