/* SPDX-License-Identifier: MIT */
/* dblock request, drain: ask whoever holds a lock, or a client for all of its locks, to let go. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/lock/commands.h"
#include "cli/ui/exits.h"
#include "cli/ui/json.h"

struct request_options {
	const char *reason;
};

static const struct dbl_arg args[] = {
	{"reason", 0, DBL_ARG_TEXT, offsetof(struct request_options, reason), "TEXT", 0, 0,
	 "what for, at most 255 bytes; the holder is told, and others see it"},
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

static int request(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct request_options *o = options;
	struct dblock_client *client;
	struct dblock_error err = {0};
	int rc, code = dbl_cli_open(cli, 0, &client);

	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_request(client, words->word[0], o->reason, &err);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static int print_asked(const struct dbl_cli *cli, int64_t asked)
{
	json_t *object = cli->json ? json_object() : NULL;

	if (!cli->json)
		return printf("%" PRId64 "\n", asked) < 0;
	dbl_json_number(object, "asked", asked);
	return dbl_json_line(object);
}

static int drain(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct request_options *o = options;
	struct dblock_client *client;
	struct dblock_error err = {0};
	int64_t asked;
	int rc, code = dbl_cli_open(cli, 0, &client);

	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_drain(client, words->word[0], o->reason, &asked, &err);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	if (rc == DBLOCK_OK || asked > 0)
		(void)print_asked(cli, asked);
	dblock_close(client);
	return code;
}

static const char *const name_only[] = {"NAME", NULL};
static const char *const client_only[] = {"CLIENT", NULL};
static const struct request_options defaults = {NULL};

const struct dbl_command dbl_command_request = {
	.name = "request",
	.usage = "NAME [--reason TEXT]",
	.summary = "ask whoever holds a lock to let go",
	.about = request_about,
	.args = args,
	.operands = {name_only, 1, 0},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.run = request,
};

const struct dbl_command dbl_command_drain = {
	.name = "drain",
	.usage = "CLIENT [--reason TEXT]",
	.summary = "ask a client to let go of all that it holds",
	.about = drain_about,
	.args = args,
	.operands = {client_only, 1, 0},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.run = drain,
};
