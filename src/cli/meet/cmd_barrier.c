/* SPDX-License-Identifier: MIT */
/* dblock barrier NAME -n N [-- CMD]: begin together, and end together. */
#include <stdio.h>
#include <string.h>

#include <dblock/barrier.h>

#include "cli/meet/child.h"

struct barrier_options {
	int64_t parties;
	int64_t wait_ms; /* -1: for ever */
};

static const struct barrier_options defaults = {.wait_ms = -1};

static const struct dbl_arg args[] = {
	{"parties", 'n', DBL_ARG_NUMBER, offsetof(struct barrier_options, parties), "N", 1,
	 DBLOCK_PARTIES_MAX, "so many have to come, the same number for all", NULL},
	DBL_DURATION_ARG("wait", 'w', offsetof(struct barrier_options, wait_ms), 0,
			 DBL_DURATION_MAX_MS, "wait so long at most for them; default: for ever"),
	{0},
};

static const char about[] =
	"Waits until N of these are there, anywhere, and then runs CMD in each; when CMD has\n"
	"ended it waits until those of all others have. Without CMD it ends once all are there.\n"
	"More than N wait in line for the next time.\n"
	"\n"
	"If one of them dies, or gives up, the others are told: on its machine at once, else\n"
	"after half a minute. Exit code 76: it is broken so, or this one was taken for dead;\n"
	"before CMD ran, or after it has. 75: not all came within --wait. Else that of CMD, or\n"
	"128 + n if a signal ended it; 127: CMD is not found, 126: it cannot be executed.\n"
	"\n"
	"TERM, INT, HUP, QUIT, USR1 and USR2 are passed on to CMD, and end a wait.\n"
	"\n"
	"  dblock barrier load-test -n 8 -w 5m -- ./send-requests.sh\n"
	"  dblock barrier all-up -n 3 && ./join-cluster.sh\n";

static int64_t wait_of(int64_t ms)
{
	return ms < 0 ? DBLOCK_FOREVER : ms ? ms : DBLOCK_NO_WAIT;
}

/* It could not be left, or entered. */
static int failed(struct dbl_cli *cli, const struct dbl_signals *signals, int rc)
{
	return rc == DBLOCK_CANCELED && signals->caught ? DBL_EXIT_SIGNAL + signals->caught
							: dbl_cli_ended(cli, rc, &cli->err);
}

/* The command's own exit code, if that tells of a failure, else why the others did not end with it. */
static int leave(struct dbl_cli *cli, struct dblock_barrier *barrier, struct dbl_signals *signals,
		 int code)
{
	struct dblock_barrier_options options = DBLOCK_BARRIER_OPTIONS_INIT;
	int was = signals->caught, rc, left;

	signals->caught = 0; /* the command had that one; another one ends this wait */
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	if (code == DBL_EXIT_NOT_FOUND || code == DBL_EXIT_CANNOT_RUN)
		options.wait_ms = DBLOCK_NO_WAIT; /* the others need not wait for it */
	rc = dblock_barrier_leave(barrier, &options, &cli->err);
	left = rc && !(rc == DBLOCK_BUSY && code) ? failed(cli, signals, rc) : DBL_EXIT_OK;
	if (!signals->caught)
		signals->caught = was;
	return code ? code : left;
}

static int meet(struct dbl_cli *cli, struct dbl_signals *signals)
{
	const struct barrier_options *o = cli->options;
	struct dblock_barrier_options options = DBLOCK_BARRIER_OPTIONS_INIT;
	struct dblock_barrier *barrier;
	int rc;

	options.wait_ms = wait_of(o->wait_ms);
	options.canceled = dbl_signals_pending;
	options.canceled_arg = signals;
	rc = dblock_barrier_enter(cli->client, cli->words.word[0], o->parties, &options, &barrier,
				  &cli->err);
	if (rc)
		return failed(cli, signals, rc);
	return leave(cli, barrier, signals,
		     cli->words.count > 1 ? dbl_meet_run(cli, signals, cli->words.word + 1)
					  : DBL_EXIT_OK);
}

static int run(struct dbl_cli *cli)
{
	struct dbl_signals signals;
	int code;

	dbl_signals_block(&signals);
	code = meet(cli, &signals);
	dbl_cli_close(cli); /* the signal that may follow ends us */
	return dbl_signals_end(&signals, code);
}

static int check(const struct dbl_cli *cli)
{
	const struct barrier_options *o = cli->options;

	return o->parties ? DBL_EXIT_OK
			  : dbl_cli_usage(cli, "--parties is missing: so many have to come");
}

const struct dbl_command dbl_command_barrier = {
	.name = "barrier",
	.usage = "NAME -n N [-w DUR] [-- CMD [ARG]...]",
	.summary = "begin together on a fleet, and end together",
	.about = about,
	.args = args,
	.operands = {.names = {"NAME", "CMD"}, .least = 1, .verbatim_from = 2},
	.defaults = &defaults,
	.size = sizeof(struct barrier_options),
	.client = DBL_CLIENT_OPEN,
	.check = check,
	.run = run,
	.one_only = "a barrier is in one",
};
