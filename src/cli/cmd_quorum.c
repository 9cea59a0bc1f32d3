/* SPDX-License-Identifier: MIT */
/* dblock quorum: a lock over several databases. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

struct quorum_options {
	int64_t max_ttl_ms;
};

#define AT(member) offsetof(struct quorum_options, member)

static const char init_about[] =
	"Makes databases the members of a cluster, on all of them or none: servers of any kind\n"
	"with dblock's tables, three, five, seven or nine, -u for each. Their order numbers them.\n"
	"If it is broken off, doing it again completes it; once it is complete, doing it again\n"
	"changes nothing. Then a lock is held on a majority of them, by the same -u:\n"
	"\n"
	"  dblock run -u URL1 -u URL2 -u URL3 NAME -- COMMAND\n";

static const struct dbl_arg init_args[] = {
	DBL_DURATION_ARG("max-ttl", 0, AT(max_ttl_ms), DBLOCK_TTL_MIN_MS, DBLOCK_TTL_MAX_MS,
			 "the longest ttl and lease of its clients; default 5m"),
	{0},
};

static int told(const struct dbl_cli *cli, size_t n)
{
	json_t *object;

	if (!cli->json) {
		printf("%s: %zu members vote\n", cli->words.word[0], n);
		return DBL_EXIT_OK;
	}
	object = json_object();
	dbl_json_text(object, "cluster", cli->words.word[0]);
	json_object_set_new(object, "members", json_integer((json_int_t)n));
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static int init(struct dbl_cli *cli)
{
	const struct quorum_options *o = cli->options;
	struct dblock_quorum_options how = DBLOCK_QUORUM_OPTIONS_INIT;
	struct dblock_client_options clients = dbl_cli_options(cli);
	char *members[DBLOCK_QUORUM_MAX + 1];
	int rc = dbl_cli_need_url(cli);
	size_t n;

	if (rc != DBL_EXIT_OK)
		return rc;
	how.max_ttl_ms = o->max_ttl_ms;
	n = dbl_cli_members(cli, members);
	rc = dblock_quorum_init((const char *const *)members, n, cli->words.word[0], &how, &clients,
				&cli->err);
	for (size_t i = 0; i < n; i++)
		free(members[i]);
	return rc ? dbl_cli_not_opened(cli, rc, &cli->err) : told(cli, n);
}

static const struct dbl_command command_init = {
	.name = "init",
	.usage = "CLUSTER",
	.summary = "make databases the members of a cluster",
	.about = init_about,
	.args = init_args,
	.operands = {{"CLUSTER"}, 1, 0},
	.run = init,
};

static const struct dbl_command *const commands[] = {&command_init, NULL};

const struct dbl_command dbl_command_quorum = {
	.name = "quorum",
	.usage = "COMMAND",
	.summary = "a lock that is held on a majority of several databases",
	.about = "A lock that is held on a majority of several databases: docs/user/quorum.md.\n",
	.operands = {{"COMMAND"}, 0, 1},
	.size = sizeof(struct quorum_options),
	.commands = commands,
};
