/* SPDX-License-Identifier: MIT */
/* dblock pool add, drain, remove: which names are members of a pool. */
#include "cli/pool/pool.h"

static const char add_about[] =
	"Makes locks members of POOL, from now on for who asks for any one of it; a member that\n"
	"was drained is not any more. The locks need not be known yet, and may be in several\n"
	"pools.\n"
	"\n"
	"  dblock pool add testdb testdb-1 testdb-2 testdb-3\n";

static const char drain_about[] =
	"Has members go to nobody new who asks for any one of POOL. Who has one keeps it: `dblock\n"
	"pool ls` shows when it is free, and `dblock request` asks for it. By its own name it is "
	"to\n"
	"be had as before. `dblock pool add` ends that. Exit code 1: one is no member.\n";

static const char remove_about[] =
	"Takes members out of POOL. Who has one keeps it. Exit code 1: one is no member.\n";

typedef int change_fn(struct dblock_client *, const char *pool, const char *member,
		      struct dblock_error *);

/* All are changed, also behind one that could not be; the first that went wrong tells the exit code. */
static int change(struct dbl_cli *cli, change_fn *fn)
{
	int code = DBL_EXIT_OK;

	for (int i = 1; i < cli->words.count; i++) {
		int rc = fn(cli->client, cli->words.word[0], cli->words.word[i], &cli->err);
		int one = dbl_cli_ended(cli, rc, &cli->err);

		code = code == DBL_EXIT_OK ? one : code;
	}
	return code;
}

static int add(struct dbl_cli *cli)
{
	return change(cli, dblock_pool_add);
}

static int drain(struct dbl_cli *cli)
{
	return change(cli, dblock_pool_drain);
}

static int drop(struct dbl_cli *cli)
{
	return change(cli, dblock_pool_remove);
}

const struct dbl_command dbl_command_pool_add = {
	.name = "add",
	.usage = "POOL NAME...",
	.summary = "make locks members of a pool",
	.about = add_about,
	.operands = {.names = {"POOL", "NAME"}, .least = 2, .many = true},
	.client = DBL_CLIENT_OPEN,
	.run = add,
};

const struct dbl_command dbl_command_pool_drain = {
	.name = "drain",
	.usage = "POOL NAME...",
	.summary = "have members go to nobody new",
	.about = drain_about,
	.operands = {.names = {"POOL", "NAME"}, .least = 2, .many = true},
	.client = DBL_CLIENT_OPEN,
	.run = drain,
};

const struct dbl_command dbl_command_pool_remove = {
	.name = "remove",
	.usage = "POOL NAME...",
	.summary = "take members out of a pool",
	.about = remove_about,
	.operands = {.names = {"POOL", "NAME"}, .least = 2, .many = true},
	.client = DBL_CLIENT_OPEN,
	.run = drop,
};
