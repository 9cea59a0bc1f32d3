/* SPDX-License-Identifier: MIT */
/* dblock run NAME -- CMD: a command under a lock, with the options of flock(1). */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/lock/take.h"
#include "cli/run/run.h"

enum { KILL_AFTER_MS = 5000, TTL_MS = 30000 };

#define AT(member) offsetof(struct dbl_run_options, member)

static const struct dbl_arg args[] = {
	{"conflict-exit-code", 'E', DBL_ARG_NUMBER, AT(take.busy), "CODE", 0, 255,
	 "exit code if it cannot be had in time; default 75", NULL},
	{"also", 'a', DBL_ARG_TEXTS, AT(take.also), "NAME", 0, 0,
	 "and this lock: all or none; may be given again", NULL},
	{"any", 0, DBL_ARG_TEXTS, AT(take.any), "NAME,NAME...", 0, 0,
	 "in place of NAME: one of these, whichever is free first", NULL},
	DBL_FLAG_ARG("tree", 0, AT(take.tree),
		     "NAME is a path: PATH/** is all that is below it, and excludes that"),
	DBL_TEXT_ARG("once", 0, AT(take.slot), "SLOT",
		     "run it once for this slot, in all of the fleet"),
	DBL_RUN_ARGS(0),
	DBL_WORD_ARG("on-request", 0, AT(on_request), "SIGNAL", "HUP INT TERM USR1 USR2",
		     "send it to CMD if somebody asks for the lock; default: none"),
	DBL_TEXT_ARG("command", 'c', AT(line), "LINE",
		     "run this line by $SHELL (else sh) instead of CMD"),
	DBL_FLAG_ARG("close", 'o', AT(close),
		     "what CMD leaves in the background does not keep the lock"),
	DBL_FLAG_ARG("park", 0, AT(take.park),
		     "keep no connection while CMD runs, but for heartbeats, each third of --ttl"),
	DBL_TEXT_ARG("rate", 0, AT(rate), "N/PERIOD[,burst=B]",
		     "at most so often, as 10/min; no lock is held while CMD runs"),
	DBL_FLAG_ARG("no-fork", 'F', AT(no_fork),
		     "refused: somebody has to stay and keep the lock"),
	{0},
};

static const char about[] =
	"Takes the lock NAME, waiting for it if need be, runs CMD, and releases the lock.\n"
	"The exit code is CMD's: 128 + n if signal n ended it, 127 if it is not found, 126 if\n"
	"it cannot be executed. TERM, INT, HUP, QUIT, USR1 and USR2 are passed on to it. It\n"
	"finds the lock's name in $DBLOCK_NAME and the fencing token in $DBLOCK_TOKEN.\n"
	"\n"
	"The lock lives as long as this program: if it is killed, who waits on the same\n"
	"machine gets the lock at once, others after --ttl, as when its machine dies. Before\n"
	"that, and whenever else the lock is lost, CMD and all that came from it get TERM and\n"
	"then KILL. Other exit codes: 75 (or -E)\n"
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
	"With --any NAME,NAME... in place of NAME it takes one of these locks: the first in this\n"
	"order that is free, else whichever comes free first, in line with those who wait for one\n"
	"of them alone. $DBLOCK_NAME says which. (\\\\, is a comma that belongs to a name.) As a\n"
	"NAME, pool:POOL stands for the members of a pool that are not drained (`dblock pool`).\n"
	"\n"
	"With --tree NAME is a path, as tenant7/orders/5. tenant7/** is all that is below "
	"tenant7:\n"
	"who has it excludes whoever runs with --tree below it; those do not exclude each other.\n"
	"\n"
	"With -p N/CAP up to CAP permits are held at a time, by whoever; with -p N/stored as many\n"
	"as `dblock pool resize` has stored. With --numbered CMD finds in $DBLOCK_PERMIT which it\n"
	"has, the smallest that were free, from 0: `0,3`.\n"
	"\n"
	"If somebody asks for the lock (`dblock request`), a line on stderr says who and why,\n"
	"and CMD gets the signal of --on-request.\n"
	"\n"
	"With --rate 10/min nobody holds NAME: CMD is run as soon as it was run by less than\n"
	"10 in a minute, wherever, evenly spaced, or up to B at once. -n, -w and -E are as\n"
	"for a lock; other options are refused. `dblock rate ls` shows what is used up.\n"
	"\n"
	"Options of flock(1) mean what they mean there; -u is the URL.\n"
	"\n"
	"  dblock run nightly -- ./report.sh\n"
	"  dblock run nightly -c './report.sh >report.txt'\n"
	"  dblock run -n deploy -E 0 -- make deploy\n"
	"  dblock run from -a to -- ./move.sh\n"
	"  dblock run nightly --once \"$(date +%F)\" -- ./report.sh\n"
	"  dblock run --any gpu0,gpu1,gpu2 -- ./train.sh\n"
	"  dblock run --tree 'tenant7/**' -- ./maintain.sh tenant7\n"
	"  dblock run -s data -- ./read.sh         beside others with -s, not beside a writer\n"
	"  dblock run -p 1/4 gpu -- ./train.sh     four of these at a time\n"
	"  dblock run -p 2/stored --numbered gpu -c 'CUDA_VISIBLE_DEVICES=$DBLOCK_PERMIT "
	"./train.sh'\n";

static int with_client(struct dbl_guard *guard, const struct dbl_run_options *o)
{
	struct dblock_client *client;
	struct dblock_lock *lock = NULL;
	struct dbl_take take = o->take;
	struct dbl_nested nested;
	bool cluster = dbl_cli_is_cluster(guard->cli);
	int code;

	dbl_nested_look(&nested);
	/* Who waits for whom is seen in one database only. */
	take.nested = nested.n > 0 && !cluster ? &nested : NULL;
	/* A mark of the keeper's own would tell of its end alone; and it is for one database. */
	take.alive_fd = guard->alive && !cluster ? guard->alive : -1;

	if (!dbl_enter(guard->cli, o->ttl_ms, &take, guard->signals, &client, &code)) {
		guard->page->caught = guard->signals->caught;
		return code;
	}
	take.how.release_requested = cluster ? NULL : dbl_keeper_requested;
	take.how.release_requested_arg = guard;
	take.how.lost = dbl_keeper_lost;
	take.how.lost_arg = guard;
	if (dbl_take(guard->cli, client, guard->name, &take, guard->signals, &lock, &code))
		code = dbl_keeper_run(guard, lock);
	else
		guard->page->caught = guard->signals->caught;
	return dbl_leave(guard, client, lock, code);
}

static int keep(struct dbl_guard *guard, const struct dbl_run_options *o)
{
	int code = dbl_keeper_begin(guard);

	if (code == DBL_EXIT_OK)
		code = with_client(guard, o);
	dbl_keeper_dismiss(guard);
	return code;
}

/* The user asked for more time between TERM and KILL than is left; `enough_ms` would do. */
static void tell_short(const struct dbl_guard *guard, int64_t asked_ms, int64_t time,
		       int64_t enough_ms, const char *when, const char *how)
{
	char asked[DBL_DURATION_TEXT], left[DBL_DURATION_TEXT], enough[DBL_DURATION_TEXT];
	int64_t left_ms = (time - guard->kill_left) / 1000;

	if (asked_ms <= left_ms)
		return;
	dbl_duration_text(asked_ms, asked);
	dbl_duration_text(left_ms, left);
	dbl_duration_text(enough_ms, enough);
	dbl_cli_note(guard->cli, "--kill-after %s is cut to %s if %s %s%s", asked, left, when,
		     enough, how);
}

static void tell_times(const struct dbl_guard *guard, int64_t asked_ms)
{
	tell_short(guard, asked_ms, guard->term_left, dbl_guard_enough(asked_ms),
		   "the database cannot be reached: for all of it the lock has to live for",
		   " (--ttl, --lease)");
	if (guard->lease)
		tell_short(guard, asked_ms, guard->grace, dbl_guard_enough_ttl(asked_ms),
			   "the lock is broken, or released by its token: for all of it the --ttl "
			   "has to be",
			   "");
}

/* The number of TERM, SIGTERM, term or 15; 0: there is no such signal. */
static int signal_number(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (*text >= '0' && *text <= '9')
		return *end == '\0' && number > 0 && number <= SIGRTMAX ? (int)number : 0;
	if (strncasecmp(text, "SIG", 3) == 0)
		text += 3;
	for (int signo = 1; signo < NSIG; signo++) {
		const char *name = sigabbrev_np(signo);

		if (name && strcasecmp(text, name) == 0)
			return signo;
	}
	return strcasecmp(text, "IO") == 0 ? SIGIO : 0;
}

pid_t dbl_run_start(struct dbl_guard *guard, const struct dbl_cli *cli, struct dbl_signals *signals,
		    const struct dbl_run_options *o, char *const *command, int *code)
{
	pid_t keeper = -1;

	if (dbl_guard_init(guard, cli, signals, command)) {
		guard->slot = o->take.slot;
		guard->also = &o->take.also;
		guard->any = o->take.any.n > 0;
		guard->tree = o->take.tree;
		guard->lingers = !o->close && !o->take.slot && !o->take.campaign;
		dbl_guard_plan(guard, o->ttl_ms, o->take.how.lease_ms,
			       o->kill_after_ms < 0 ? KILL_AFTER_MS : o->kill_after_ms);
		tell_times(guard, o->kill_after_ms);
		guard->on_request = o->on_request ? signal_number(o->on_request) : 0;
		keeper = fork();
	}
	if (keeper == 0)
		*code = keep(guard, o);
	if (keeper < 0)
		dbl_cli_error(cli, "no process for the lock can be started: %s", strerror(errno));
	return keeper;
}

/* Refuse signals that cannot be caught: the command could not heed the request. */
static int check_on_request(const struct dbl_cli *cli, const char *text)
{
	int signo = text ? signal_number(text) : 0;

	if (text && !signo)
		return dbl_cli_usage(cli, "--on-request: there is no signal '%s'", text);
	if (signo == SIGKILL || signo == SIGSTOP)
		return dbl_cli_usage(cli,
				     "--on-request: no command can catch %s; TERM ends those "
				     "that do not",
				     text);
	return DBL_EXIT_OK;
}

static int check(const struct dbl_cli *cli)
{
	const struct dbl_run_options *o = cli->options;
	int code = check_on_request(cli, o->on_request);

	if (o->take.any.n && cli->words.word[0] != o->take.any.text[0])
		return dbl_cli_usage(
			cli,
			"--any stands in place of NAME, before it: '%s' is one name too "
			"many, or belongs into the list",
			cli->words.word[0]);
	if (o->no_fork)
		return dbl_cli_usage(cli, "--no-fork: a lock in a database is not inherited, as "
					  "one of flock(1) is: dblock has to stay; leave it out");
	if (!o->line && cli->words.count < 2)
		return dbl_cli_usage(cli, "CMD is missing");
	if (o->line && cli->words.count > 1)
		return dbl_cli_usage(cli,
				     "too many words: '%s': all of the command stands in "
				     "--command",
				     cli->words.word[1]);
	if (code == DBL_EXIT_OK)
		code = dbl_take_check(cli, &o->take);
	return code == DBL_EXIT_OK && o->rate ? dbl_run_rate_check(cli, o, TTL_MS) : code;
}

/* The shell that flock(1) would choose. */
static char *shell(void)
{
	static char usual[] = "/bin/sh";
	char *name = getenv("SHELL");

	return name && *name ? name : usual;
}

static int run(struct dbl_cli *cli)
{
	const struct dbl_run_options *o = cli->options;
	char flag[] = "-c", *line = o->line ? strdup(o->line) : NULL;
	char *by_shell[] = {shell(), flag, line, NULL};
	char *const *command = line ? by_shell : cli->words.word + 1;
	struct dbl_signals signals;
	struct dbl_guard guard;
	int code = DBL_EXIT_INTERNAL;
	pid_t keeper;

	if (o->line && !line)
		return dbl_cli_ended(cli, DBLOCK_E_NOMEM, &cli->err);
	if (o->rate) {
		code = dbl_run_rate(cli, command);
		free(line);
		return code;
	}
	dbl_signals_block(&signals);
	keeper = dbl_run_start(&guard, cli, &signals, o, command, &code);
	if (keeper > 0)
		code = dbl_signals_end(&signals, dbl_front(&guard, keeper));
	free(line);
	return code;
}

static const struct dbl_run_options defaults = {
	.take = DBL_TAKE_INIT, .ttl_ms = TTL_MS, .kill_after_ms = -1};

_Static_assert(sizeof(defaults) <= DBL_OPTIONS_SIZE, "options fit");

const struct dbl_command dbl_command_run = {
	.name = "run",
	.usage = "NAME [OPTION]... [--] CMD [ARG]... | -c LINE",
	.summary = "run a command under a lock",
	.about = about,
	.args = args,
	.shared_args = dbl_take_args,
	.operands = {.names = {"NAME", "CMD"},
		     .least = 1,
		     .verbatim_from = 2,
		     .or_texts = AT(take.any)},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.check = check,
	.run = run,
};
