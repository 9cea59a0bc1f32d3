/* SPDX-License-Identifier: MIT */
/* dblock break: take a lock away from whoever holds it. */
#include "commands.h"
#include "duration.h"
#include "exits.h"

struct options {
	const char *token;
	int64_t wait_ms;
};

static const struct dbl_arg args[] = {
	{"token", 0, DBL_ARG_TEXT, offsetof(struct options, token), "TOKEN", 0, 0,
	 "break only this grant; default: whichever holds it"},
	{"wait", 'w', DBL_ARG_DURATION, offsetof(struct options, wait_ms), "DUR", 0,
	 DBL_DURATION_MAX_MS, "wait so long for an open transaction; default 5s"},
	{0},
};

static const char about[] =
	"Takes the lock NAME away from whoever holds it. Once it returns 0 the old token is\n"
	"dead: its holder can neither release nor renew anything with it. The holder itself is\n"
	"not told before its own next check: stop it first if you can.\n"
	"\n"
	"Exit code 1: nobody holds it, or another grant than TOKEN does. 75: an open\n"
	"transaction keeps the lock's row locked.\n";

static int run(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct options *o = options;
	/* To the library, 0 is its default; to a person it is no wait at all. */
	int64_t wait_ms = o->wait_ms < 0 ? 0 : o->wait_ms == 0 ? 1 : o->wait_ms;
	struct dblock_client *client;
	struct dblock_error err = {0};
	int64_t token = 0;
	int rc, code = o->token ? dbl_cli_token(cli, o->token, &token) : DBL_EXIT_OK;

	if (code == DBL_EXIT_OK)
		code = dbl_cli_open(cli, 0, &client);
	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_break(client, words->word[0], token, wait_ms, &err);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static const char *const operands[] = {"NAME", NULL};
static const struct options defaults = {NULL, -1};

const struct dbl_command dbl_command_break = {
	.name = "break",
	.usage = "NAME [--token TOKEN] [-w DUR]",
	.summary = "take a lock away from whoever holds it",
	.about = about,
	.args = args,
	.operands = {operands, 1, 0},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.run = run,
};
