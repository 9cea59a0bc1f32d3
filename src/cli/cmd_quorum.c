/* SPDX-License-Identifier: MIT */
/* dblock quorum: a lock over several databases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

struct quorum_options {
	int64_t max_ttl_ms;
	bool allow_forgetful;
};

#define AT(member) offsetof(struct quorum_options, member)

static const char init_about[] =
	"Makes databases the members of a cluster, on all of them or none: servers of any kind\n"
	"with dblock's tables, three, five, seven or nine, -u for each. Their order numbers them.\n"
	"If it is broken off, doing it again completes it; once it is complete, doing it again\n"
	"changes nothing. Then a lock is held on a majority of them, by the same -u:\n"
	"\n"
	"  dblock run -u URL1 -u URL2 -u URL3 NAME -- COMMAND\n";

#define FORGETFUL                                                                                  \
	DBL_FLAG_ARG("allow-forgetful", 0, AT(allow_forgetful),                                    \
		     "allow servers that may forget commits when their machine crashes")

static const struct dbl_arg init_args[] = {
	DBL_DURATION_ARG("max-ttl", 0, AT(max_ttl_ms), DBLOCK_TTL_MIN_MS, DBLOCK_TTL_MAX_MS,
			 "the longest ttl and lease of its clients; default 5m"),
	FORGETFUL,
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
	char *members[DBL_URLS_MAX];
	int rc = dbl_cli_need_url(cli);
	size_t n;

	if (rc != DBL_EXIT_OK)
		return rc;
	how.max_ttl_ms = o->max_ttl_ms;
	how.allow_forgetful = o->allow_forgetful;
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
	.operands = {.names = {"CLUSTER"}, .least = 1},
	.run = init,
};

/* ---- replace --------------------------------------------------------------------------------- */

static const char replace_about[] =
	"Puts another database in a member's place: a blank one, with dblock's tables, in that of\n"
	"a server that is gone; or one that was restored, or failed over, in its own, as it has\n"
	"forgotten votes. MEMBER is its number, and the MEMBERth -u is of the database that takes\n"
	"its place. The others have to be reachable, a majority of all at least.\n"
	"\n"
	"What is held by votes of the others stays. Nothing new is granted while it lasts, which\n"
	"is the cluster's max-ttl. If it is broken off, doing it again goes on; it can be another\n"
	"database then. Afterwards give all clients the new URL.\n"
	"\n"
	"  dblock quorum replace 2 -u URL1 -u NEW_URL2 -u URL3\n";

static void tell_wait(void *cli, int64_t ms)
{
	char text[DBL_DURATION_TEXT];

	dbl_duration_text(ms, text);
	dbl_cli_note(cli, "the members are closed; each client knows, or holds nothing, in %s",
		     text);
}

static int told_replaced(const struct dbl_cli *cli)
{
	json_t *object;

	if (!cli->json) {
		printf("member %s votes\n", cli->words.word[0]);
		return DBL_EXIT_OK;
	}
	object = json_object();
	json_object_set_new(object, "member", json_integer(atoi(cli->words.word[0])));
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static const struct dbl_arg replace_args[] = {FORGETFUL, {0}};

static int replace(struct dbl_cli *cli)
{
	const struct quorum_options *o = cli->options;
	struct dblock_replace_options how = DBLOCK_REPLACE_OPTIONS_INIT;
	struct dblock_client_options clients = dbl_cli_options(cli);
	const char *word = cli->words.word[0];
	char *members[DBL_URLS_MAX];
	int rc = dbl_cli_need_url(cli);
	size_t n;

	if (rc != DBL_EXIT_OK)
		return rc;
	n = dbl_cli_members(cli, members);
	if (strspn(word, "0123456789") != 1 || word[1] || *word < '1' || (size_t)(*word - '0') > n)
		rc = dbl_cli_usage(cli, "MEMBER is '%s', and has to be a number from 1 to %zu",
				   word, n);
	how.waits = tell_wait;
	how.waits_arg = cli;
	how.allow_forgetful = o->allow_forgetful;
	if (rc == DBL_EXIT_OK) {
		rc = dblock_quorum_replace((const char *const *)members, n, (unsigned)atoi(word),
					   &how, &clients, &cli->err);
		rc = rc ? dbl_cli_not_opened(cli, rc, &cli->err) : told_replaced(cli);
	}
	for (size_t i = 0; i < n; i++)
		free(members[i]);
	return rc;
}

static const struct dbl_command command_replace = {
	.name = "replace",
	.usage = "MEMBER",
	.summary = "put another database in a member's place",
	.about = replace_about,
	.args = replace_args,
	.operands = {.names = {"MEMBER"}, .least = 1},
	.run = replace,
};

static const struct dbl_command *const commands[] = {&command_init, &command_replace,
						     &dbl_command_quorum_status, NULL};

const struct dbl_command dbl_command_quorum = {
	.name = "quorum",
	.usage = "COMMAND",
	.summary = "a lock that is held on a majority of several databases",
	.about = "A lock that is held on a majority of several databases: docs/user/quorum.md.\n",
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.size = sizeof(struct quorum_options),
	.commands = commands,
};
