/* SPDX-License-Identifier: MIT */
/* dblock global show: one transaction over several databases, branch by branch. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/global/global.h"

static const char about[] =
	"Shows a transaction over several databases, by its id: which of those that are given\n"
	"decides (its home), what becomes of it, and where each branch stands: prepared (its rows\n"
	"are locked), committed, or not seen: it was rolled back, or is on a database that is not\n"
	"given or does not answer. Nothing is changed. Exit code 1: nothing is known of it.\n";

static const char *const heads[] = {"BRANCH", "STATE", "DATABASE", NULL};

/* Its object is printed when all branches are known. */
struct shown {
	const struct dbl_cli *cli;
	const struct dbl_databases *databases;
	struct dbl_table table;
	json_t *object, *branches;
	bool any;
};

static const char *name_of(const struct shown *shown, int64_t client)
{
	return client < 0 ? NULL : shown->databases->names[client];
}

static const char *state_word(enum dblock_branch_state state)
{
	return state == DBLOCK_BRANCH_PREPARED    ? "prepared"
	       : state == DBLOCK_BRANCH_COMMITTED ? "committed"
						  : "not seen";
}

static int found(void *arg, const struct dblock_recovery *r)
{
	struct shown *shown = arg;
	const char *home = name_of(shown, r->home);
	char state[400];

	shown->any = true;
	if (shown->cli->json) {
		shown->object = dbl_recovery_json(r, false);
		shown->branches = json_array();
		dbl_json_text(shown->object, "home", home);
		return 0;
	}
	snprintf(state, sizeof(state), "%s: %s", dbl_recovered_word(r->outcome, false), r->text);
	return dbl_field("id:", r->id) || dbl_field_time("since:", r->since_us, INT64_MIN) ||
			       dbl_field("home:", home ? home : "none of these databases") ||
			       dbl_field("state:", state)
		       ? DBLOCK_E_NOMEM
		       : 0;
}

static int branch(void *arg, const struct dblock_branch *b)
{
	struct shown *shown = arg;
	const char *database = name_of(shown, b->client);
	char number[24];
	json_t *object;

	snprintf(number, sizeof(number), "%" PRId64, b->number);
	if (!shown->cli->json)
		return dbl_table_add(&shown->table, number, state_word(b->state),
				     database ? database : "-")
			       ? DBLOCK_E_NOMEM
			       : 0;
	object = json_object();
	dbl_json_number(object, "number", b->number);
	dbl_json_text(object, "state", state_word(b->state));
	dbl_json_text(object, "database", database);
	return json_array_append_new(shown->branches, object) ? DBLOCK_E_NOMEM : 0;
}

static int print_object(struct shown *shown)
{
	if (!shown->object)
		return DBL_EXIT_OK;
	json_object_set_new(shown->object, "parts", shown->branches);
	return dbl_json_line(shown->object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static int show(struct dbl_cli *cli)
{
	struct dbl_databases d;
	struct shown shown = {.cli = cli, .databases = &d, .table = {.heads = heads}};
	int code = dbl_global_look(cli, &d, cli->words.word[0], branch, found, &shown), printed;

	if (shown.table.count)
		puts("");
	dbl_table_print(&shown.table);
	printed = print_object(&shown);
	dbl_databases_close(&d);
	if (code == DBL_EXIT_OK && !shown.any) {
		dbl_cli_note(cli, "%s: nothing is prepared, and nothing is left to be finished",
			     cli->words.word[0]);
		return DBL_EXIT_STALE;
	}
	return code ? code : printed;
}

const struct dbl_command dbl_command_global_show = {
	.name = "show",
	.usage = "ID",
	.summary = "show one, branch by branch",
	.about = about,
	.operands = {.names = {"ID"}, .least = 1},
	.run = show,
	.run_members = show,
};
