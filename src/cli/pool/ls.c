/* SPDX-License-Identifier: MIT */
/* dblock pool ls: the members of pools, and who has them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/pool/pool.h"

static const char about[] =
	"Lists the members of POOL, or of all pools: whether each is drained, so that nobody new\n"
	"gets it by the pool's name; who holds it, and how many others; how many wait for it, by\n"
	"whatever name.\n";

static const char *const heads[] = {"POOL",    "MEMBER",  "STATE", "HOLDER",
				    "HOLDERS", "WAITING", NULL};

enum { NUMBER_TEXT = 48 };

static const char *state(const struct dblock_pool_member *m)
{
	if (m->drained)
		return "drained";
	return m->holders ? "held" : "free";
}

static int row(void *table, const struct dblock_pool_member *m)
{
	char holder[DBLOCK_NAME_MAX + 32] = "", holders[NUMBER_TEXT], waiters[NUMBER_TEXT];

	if (m->holders)
		snprintf(holder, sizeof(holder), "%s:%" PRId64, *m->host ? m->host : "?", m->pid);
	snprintf(holders, sizeof(holders), "%" PRId64, m->holders);
	snprintf(waiters, sizeof(waiters), "%" PRId64, m->waiters);
	return dbl_table_add(table, m->pool, m->name, state(m), m->holders ? holder : "-", holders,
			     waiters);
}

static int object(void *unused, const struct dblock_pool_member *m)
{
	json_t *object = json_object();

	(void)unused;
	dbl_json_text(object, "pool", m->pool);
	dbl_json_text(object, "member", m->name);
	json_object_set_new(object, "drained", json_boolean(m->drained));
	dbl_json_time(object, "since", m->since_us);
	dbl_json_ms(object, "since_ms", m->since_ms);
	json_object_set_new(object, "capacity",
			    m->capacity < 0 ? json_null() : json_integer(m->capacity));
	dbl_json_number(object, "holders", m->holders);
	dbl_json_number(object, "waiters", m->waiters);
	dbl_json_number(object, "token", m->token);
	dbl_json_text(object, "host", m->host);
	dbl_json_number(object, "pid", m->pid);
	dbl_json_text(object, "app", m->app);
	return dbl_json_line(object);
}

static int ls(struct dbl_cli *cli)
{
	struct dbl_table table = {.heads = heads};
	int rc = dblock_pool_members(cli->client, cli->words.word[0], cli->json ? object : row,
				     &table, &cli->err);

	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli,
			     cli->words.count ? "the pool has no members" : "there are no pools");
	dbl_table_print(&table);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_pool_ls = {
	.name = "ls",
	.usage = "[POOL]",
	.summary = "list the members of pools, and who has them",
	.about = about,
	.operands = {.names = {"POOL"}},
	.client = DBL_CLIENT_LOOK,
	.run = ls,
};
