/* SPDX-License-Identifier: MIT */
/* dblock quorum status: the members of a cluster, a line for each. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ui/cli.h"
#include "cli/ui/duration.h"
#include "cli/ui/print.h"

static const char about[] =
	"Shows a line for each member, by the -u of all of them: whether it votes, in which\n"
	"cluster, as which number, under which epoch, by which history of its database. One that\n"
	"does not vote is down, or new (`quorum init` was broken off), closed (a member is being\n"
	"replaced), replaced (another is in its place), a copy (restored, or failed over), none\n"
	"(in no cluster), other (in another cluster, or given twice), or unknown; why is said\n"
	"below. Nothing is written. `dblock show NAME` with the same -u tells who has a lock,\n"
	"`dblock doctor` examines all members.\n"
	"\n"
	"Exit code: 0 if all of them vote, 1 if a majority does, but not all, 2 if none does.\n";

static const char *const heads[] = {"MEMBER", "STATE",   "CLUSTER", "NUMBER",
				    "EPOCH",  "MAX TTL", "HISTORY", NULL};

/* What is printed: a table, and why some do not vote; or an object. */
struct status {
	struct dbl_table table;
	struct dbl_whys whys;
	json_t *members;
	bool is_json;
};

/* The beginnings of both, if there is another one now. */
static void history_text(const struct dblock_quorum_member *m, char text[40])
{
	if (strcmp(m->history, m->newest) == 0)
		snprintf(text, 40, "%.8s", m->history);
	else
		snprintf(text, 40, "%.8s, now %.8s", m->history,
			 m->newest[0] ? m->newest : "another");
}

static int add_row(struct status *status, const struct dblock_quorum_member *m)
{
	char given[24], number[48] = "-", epoch[24] = "-", ttl[DBL_DURATION_TEXT] = "-",
			history[40] = "-";

	snprintf(given, sizeof(given), "%" PRId64, m->given);
	if (m->cluster[0]) {
		snprintf(number, sizeof(number), "%" PRId64 " of %" PRId64, m->number, m->members);
		snprintf(epoch, sizeof(epoch), "%" PRId64, m->epoch);
		dbl_duration_text(m->max_ttl_ms, ttl);
		history_text(m, history);
	}
	return dbl_table_add(&status->table, given, dbl_member_state(m),
			     m->cluster[0] ? m->cluster : "-", number, epoch, ttl, history) ||
	       dbl_whys_add(&status->whys, m);
}

static int add_object(json_t *members, const struct dblock_quorum_member *m)
{
	json_t *object = dbl_member_json(m);

	dbl_json_text(object, "cluster", m->cluster);
	dbl_json_number(object, "number", m->number);
	dbl_json_number(object, "members", m->members);
	dbl_json_number(object, "epoch", m->epoch);
	dbl_json_number(object, "max_ttl_ms", m->max_ttl_ms);
	dbl_json_text(object, "history", m->history);
	dbl_json_text(object, "newest", m->newest);
	return json_array_append_new(members, object);
}

static int found(void *arg, const struct dblock_quorum_member *m)
{
	struct status *status = arg;
	int rc = status->is_json ? add_object(status->members, m) : add_row(status, m);

	return rc ? DBLOCK_E_NOMEM : 0;
}

static void print_lines(struct status *status, const struct dblock_quorum_state *state)
{
	size_t n = (size_t)(2 * state->majority - 1);

	printf("%s%s%" PRId64 " of %zu members vote; %" PRId64 " are needed\n\n", state->cluster,
	       state->cluster[0] ? ": " : "", state->voting, n, state->majority);
	dbl_table_print(&status->table);
	dbl_whys_print(&status->whys);
}

static int print_json(json_t *members, const struct dblock_quorum_state *state)
{
	json_t *object = json_object();

	dbl_json_text(object, "cluster", state->cluster);
	dbl_json_number(object, "epoch", state->epoch);
	dbl_json_number(object, "max_ttl_ms", state->max_ttl_ms);
	dbl_json_number(object, "majority", state->majority);
	dbl_json_number(object, "answering", state->answering);
	dbl_json_number(object, "voting", state->voting);
	json_object_set(object, "members", members);
	return dbl_json_line(object);
}

static int exit_for(const struct dblock_quorum_state *state)
{
	if (state->voting < state->majority)
		return DBL_EXIT_WRONG;
	return state->voting < 2 * state->majority - 1 ? DBL_EXIT_WARNINGS : DBL_EXIT_OK;
}

static int run(struct dbl_cli *cli)
{
	struct status status = {
		.table = {.heads = heads}, .members = json_array(), .is_json = cli->json};
	struct dblock_quorum_state state = DBLOCK_QUORUM_STATE_INIT;
	int rc = dbl_cli_need_url(cli);

	if (rc == DBL_EXIT_OK) {
		rc = dbl_cli_look(cli, NULL, found, &status, &state);
		rc = rc ? dbl_cli_not_opened(cli, rc, &cli->err) : exit_for(&state);
	}
	if (state.majority && !cli->json)
		print_lines(&status, &state);
	else if (state.majority && print_json(status.members, &state))
		rc = DBL_EXIT_INTERNAL;
	dbl_table_free(&status.table);
	dbl_whys_free(&status.whys);
	json_decref(status.members);
	return rc;
}

const struct dbl_command dbl_command_quorum_status = {
	.name = "status",
	.usage = "",
	.summary = "show the members of a cluster: which vote, and why others do not",
	.about = about,
	.run = run,
};
