/* SPDX-License-Identifier: MIT */
/* dblock break: take a lock away from whoever holds it. */
#include <inttypes.h>

#include "cli/ui/cli.h"
#include "cli/ui/signals.h"

struct options {
	int64_t token;   /* 0: that of any holder */
	int64_t wait_ms; /* -1: as long as it takes */
	bool force;
};

static const struct dbl_arg args[] = {
	{"token", 0, DBL_ARG_TOKEN, offsetof(struct options, token), "TOKEN", 0, 0,
	 "break only this grant; default: whichever holds it", NULL},
	DBL_DURATION_ARG("wait", 'w', offsetof(struct options, wait_ms), 0, DBL_DURATION_MAX_MS,
			 "wait so long at most for the holder to let go"),
	DBL_FLAG_ARG("force", 0, offsetof(struct options, force),
		     "do not wait for it: it may still be at work"),
	{0},
};

static const char about[] =
	"Takes the lock NAME away from whoever holds it. The holder is told, at once on the\n"
	"same machine, else with its next heartbeat: `dblock run` ends its command, and gives\n"
	"the lock back. This waits for that, and says for whom; at the latest the lock is free\n"
	"when the holder's ttl has passed, in which it was told or its session was over. A\n"
	"lease that no running client has, as after `dblock acquire`, is freed at once.\n"
	"\n"
	"With --wait it gives up waiting after DUR, with exit code 75; the break stands, and\n"
	"the lock is free when its holder lets go. With --force it frees the lock at once: its\n"
	"holder is told as well, but may still be at work when somebody else is granted it.\n"
	"\n"
	"Exit code 1: nobody holds it, or another grant than TOKEN does. 75: it is not free\n"
	"yet; an open transaction keeps the lock's row locked; or the holder's dblock is of a\n"
	"version that cannot be told, and nothing was done.\n";

struct teller {
	const struct dbl_cli *cli;
	int said; /* 1: that it waits; 2: that its holder has been told, too */
};

/* Tell whom it waits for once that takes a second, and then only what is new. */
static void say_whom(void *arg, const struct dblock_breaking *b)
{
	struct teller *teller = arg;
	char most[DBL_DURATION_TEXT];

	if (teller->said == 1 + b->told)
		return;
	teller->said = 1 + b->told;
	dbl_duration_text(b->left_ms > 0 ? b->left_ms : 0, most);
	dbl_cli_note(teller->cli,
		     "waiting for host %s, pid %" PRId64 " (token %" PRId64
		     "), which %s; at most %s",
		     b->host, b->pid, b->token,
		     b->told ? "has been told, and has not let go yet" : "has not heard of it yet",
		     b->left_ms < 0 ? "until its lease ends" : most);
}

static int run(struct dbl_cli *cli)
{
	const struct options *o = cli->options;
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct teller teller = {.cli = cli};
	struct dbl_signals signals;
	int rc;

	dbl_signals_block(&signals);
	how.token = o->token;
	/* 0 means the default to the library, but no wait to a person. */
	how.wait_ms = o->wait_ms < 0 ? 0 : o->wait_ms == 0 ? DBLOCK_NO_WAIT : o->wait_ms;
	how.force = o->force;
	how.canceled = dbl_signals_pending;
	how.canceled_arg = &signals;
	how.waiting = say_whom;
	how.waiting_arg = &teller;
	how.waiting_every_ms = 1000;
	rc = dblock_break(cli->client, cli->words.word[0], &how, &cli->err);
	if (rc == DBLOCK_CANCELED && signals.caught) {
		dbl_cli_note(cli, "%s", cli->err.message);
		return DBL_EXIT_SIGNAL + signals.caught;
	}
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_break = {
	.name = "break",
	.usage = "NAME [--token TOKEN] [-w DUR] [--force]",
	.summary = "take a lock away from whoever holds it",
	.about = about,
	.args = args,
	.operands = {.names = {"NAME"}, .least = 1},
	.defaults = &(const struct options){.wait_ms = -1},
	.size = sizeof(struct options),
	.client = DBL_CLIENT_OPEN,
	.run = run,
	.one_only = "end the holder, which `dblock show NAME` names, or give a lease back by its "
		    "token: `dblock release NAME TOKEN`",
};
