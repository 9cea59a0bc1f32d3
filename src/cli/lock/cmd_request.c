/* SPDX-License-Identifier: MIT */
/* dblock request, drain: ask the holder of a lock, or a client for all of its locks, to release. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

struct request_options {
	const char *reason;
};

static const struct dbl_arg args[] = {
	DBL_TEXT_ARG("reason", 0, offsetof(struct request_options, reason), "TEXT",
		     "what for, at most 255 bytes; the holder is told, and others see it"),
	{0},
};

static const char request_about[] =
	"Asks whoever holds the lock NAME to let go of it. Nothing is taken away: the holder is\n"
	"told who asks and why, at once if it is on this machine, else within a third of its\n"
	"--ttl, and does what it thinks right. See `dblock run --on-request`. The request is over\n"
	"with that grant: the next holder is not asked by it.\n"
	"\n"
	"Exit code 1: nobody holds it.\n"
	"\n"
	"  dblock request nightly --reason 'deploy of 2.4'\n";

static const char drain_about[] =
	"Asks for all the locks that one client holds, as `dblock request` does for each, and\n"
	"prints how many that are: before a machine or a program is replaced. CLIENT is\n"
	"HOST:PID as `dblock ls` shows it, or a session's id as `dblock ls --json` does.\n"
	"\n"
	"Exit code 1: no such client is known.\n"
	"\n"
	"  dblock drain web-1:731 --reason 'deploy of 2.4'\n";

static int request(struct dbl_cli *cli)
{
	const struct request_options *o = cli->options;
	int rc = dblock_request_release(cli->client, cli->words.word[0], o->reason, &cli->err);

	return dbl_cli_ended(cli, rc, &cli->err);
}

static void print_asked(const struct dbl_cli *cli, int64_t asked)
{
	json_t *object;

	if (!cli->json) {
		printf("%" PRId64 "\n", asked);
		return;
	}
	object = json_object();
	dbl_json_number(object, "asked", asked);
	(void)dbl_json_line(object);
}

static int drain(struct dbl_cli *cli)
{
	const struct request_options *o = cli->options;
	int64_t asked;
	int rc = dblock_request_release_all(cli->client, cli->words.word[0], o->reason, &asked,
					    &cli->err);
	int code = dbl_cli_ended(cli, rc, &cli->err);

	if (rc == DBLOCK_OK || asked > 0)
		print_asked(cli, asked);
	return code;
}

static const char one_only[] = "nobody is asked to let go of a lock on several databases; `dblock "
			       "show NAME` tells who has it";

const struct dbl_command dbl_command_request = {
	.name = "request",
	.usage = "NAME [--reason TEXT]",
	.summary = "ask whoever holds a lock to let go",
	.about = request_about,
	.args = args,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = request,
	.one_only = one_only,
};

const struct dbl_command dbl_command_drain = {
	.name = "drain",
	.usage = "CLIENT [--reason TEXT]",
	.summary = "ask a client to let go of all that it holds",
	.about = drain_about,
	.args = args,
	.operands = {.names = {"CLIENT"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = drain,
	.one_only = one_only,
};
