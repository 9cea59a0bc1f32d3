/* SPDX-License-Identifier: MIT */
/* dblock elect NAME -- CMD: a command that runs while we lead, one term after another. */
#include <stddef.h>

#include "cli/run/run.h"

/* The pause between two tries to reach a database that has been reached before. */
enum { PAUSE_MS = 1000 };

struct elect_options {
	struct dbl_run_options run;
	bool one_term;
};

#define AT(member) offsetof(struct elect_options, member)

#define WAIT_ARG(name, letter, help)                                                               \
	DBL_DURATION_ARG(name, letter, AT(run.take.wait_ms), 1, DBL_DURATION_MAX_MS, help)

static const struct dbl_arg args[] = {
	DBL_TEXT_ARG("value", 0, AT(run.take.how.value), "TEXT",
		     "text for others to read while we lead, at most 1 KiB"),
	WAIT_ARG("wait", 'w', "stand so long at most, each time; default: for ever"),
	WAIT_ARG("timeout", 0, "the same"),
	DBL_FLAG_ARG("one-term", 0, AT(one_term), "do not stand again once the lead is lost"),
	{"conflict-exit-code", 'E', DBL_ARG_NUMBER, AT(run.take.busy), "CODE", 0, 255,
	 "exit code if somebody else leads for so long; default 75", NULL},
	DBL_RUN_ARGS(AT(run)),
	{0},
};

static const char about[] =
	"Stands for leader of NAME, in line with all others, and runs CMD while it leads; others\n"
	"read its --value with `dblock leader NAME`. When CMD ends it resigns, and exits as CMD\n"
	"did. If the lead is lost CMD and all that came from it get TERM and then KILL, before\n"
	"anybody else can lead; then it stands again, unless --one-term, and runs CMD anew.\n"
	"\n"
	"Signals, exit codes and $DBLOCK_NAME, $DBLOCK_TOKEN are those of `dblock run`: a leader\n"
	"is who holds the lock NAME. Once it has led it does not give up because the database is\n"
	"out of reach.\n"
	"\n"
	"  dblock elect scheduler --value \"$(hostname):8080\" -- ./scheduler\n";

/* Was the lead lost, and has all that came from the command ended? Then it may stand again. */
static bool is_lost(const struct dbl_guard *guard)
{
	int outcome = guard->page->outcome;

	return (outcome == DBL_OUTCOME_LOST || outcome == DBL_OUTCOME_LATE) && !guard->page->spared;
}

/* One term, from the election to the end of the command. False: this is the keeper, or none
 * began. */
static bool one_term(const struct dbl_cli *cli, struct dbl_signals *signals, int *code, bool *lost)
{
	const struct elect_options *o = cli->options;
	struct dbl_guard guard;
	pid_t keeper = dbl_run_start(&guard, cli, signals, &o->run, cli->words.word + 1, code);

	if (keeper <= 0)
		return false;
	*code = dbl_front_term(&guard, keeper);
	*lost = is_lost(&guard);
	dbl_guard_fini(&guard);
	return true;
}

static int elect(struct dbl_cli *cli)
{
	const struct elect_options *o = cli->options;
	struct dbl_signals signals;
	int code = DBL_EXIT_INTERNAL;
	bool again = false, lost;

	dbl_signals_block(&signals);
	while (one_term(cli, &signals, &code, &lost)) {
		bool unreachable = again && code == DBL_EXIT_UNREACHABLE;

		if (o->one_term || (!lost && !unreachable))
			return dbl_signals_end(&signals, code);
		again = true;
		if (unreachable && dbl_signals_wait(&signals, PAUSE_MS))
			return dbl_signals_end(&signals, DBL_EXIT_SIGNAL + signals.caught);
		if (lost)
			dbl_cli_note(cli, "stands for '%s' again", cli->words.word[0]);
	}
	return code;
}

static const struct elect_options defaults = {{.take = {.wait_ms = -1,
							.busy = DBL_EXIT_BUSY,
							.campaign = true,
							.how = DBLOCK_ACQUIRE_OPTIONS_INIT},
					       .ttl_ms = 30000,
					       .kill_after_ms = -1},
					      false};

const struct dbl_command dbl_command_elect = {
	.name = "elect",
	.usage = "NAME [OPTION]... [--] CMD [ARG]...",
	.summary = "run a command while we are the leader",
	.about = about,
	.args = args,
	.operands = {.names = {"NAME", "CMD"}, .least = 2, .verbatim_from = 2},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.run = elect,
	.one_only = "on a majority nobody is elected; `dblock run` holds a lock on one",
};
