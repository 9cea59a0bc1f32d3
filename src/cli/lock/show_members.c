/* SPDX-License-Identifier: MIT */
/* dblock show, of a lock on several databases: who has it, and whom each member votes for. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/lock/words.h"
#include "cli/ui/cli.h"

static const char *const heads[] = {"MEMBER", "VOTE", "BY",      "TOKEN",
				    "SINCE",  "LEFT", "WAITING", NULL};

struct shown {
	struct dbl_table table;
	struct dbl_whys whys;
	json_t *votes;
	bool is_json;
	bool is_known; /* a member knows the name */
};

/* ---- each member ----------------------------------------------------------------------------- */

static int add_row(struct shown *shown, const struct dblock_quorum_member *m)
{
	bool tells = m->state == DBLOCK_MEMBER_VOTES || m->state == DBLOCK_MEMBER_CLOSED;
	const struct dblock_holder *h = tells ? m->holder : NULL;
	char given[24], by[DBL_WHO_TEXT] = "-", token[24] = "-", waiting[24] = "-";
	char since[DBL_TIME_TEXT] = "-", left[DBL_TIME_TEXT] = "-";
	const char *vote = m->state == DBLOCK_MEMBER_VOTES ? "free" : dbl_member_state(m);

	snprintf(given, sizeof(given), "%" PRId64, m->given);
	if (h) {
		if (h->hold != DBLOCK_HOLD_FREE || m->state == DBLOCK_MEMBER_VOTES)
			vote = dbl_holder_state(h);
		snprintf(token, sizeof(token), "%" PRId64, h->token);
		snprintf(waiting, sizeof(waiting), "%" PRId64, h->waiting);
	}
	if (h && h->hold != DBLOCK_HOLD_FREE) {
		dbl_holder_who(h, by);
		dbl_time_local(h->acquired_us, since);
		dbl_time_left(h->expires_us ? h->left_ms : INT64_MIN, left);
	}
	return dbl_table_add(&shown->table, given, vote, by, token, since, left, waiting) ||
	       dbl_whys_add(&shown->whys, m);
}

static int add_object(json_t *votes, const struct dblock_quorum_member *m)
{
	json_t *object = dbl_member_json(m);

	json_object_set_new(object, "holder", m->holder ? dbl_holder_json(m->holder) : json_null());
	return json_array_append_new(votes, object);
}

static int found(void *arg, const struct dblock_quorum_member *m)
{
	struct shown *shown = arg;
	int rc = shown->is_json ? add_object(shown->votes, m) : add_row(shown, m);

	shown->is_known = shown->is_known || m->holder;
	return rc ? DBLOCK_E_NOMEM : 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int64_t members_of(const struct dblock_quorum_state *s)
{
	return 2 * s->majority - 1;
}

/* Those that do not tell may have granted it. */
static bool may_be_held(const struct dblock_quorum_state *s)
{
	return s->granted + members_of(s) - s->telling >= s->majority;
}

static const char *held(const struct dblock_quorum_state *s)
{
	if (s->token)
		return "yes";
	if (s->granted >= s->majority)
		return "soon";
	return may_be_held(s) ? "unknown" : "no";
}

static void print_held(const struct dblock_quorum_state *s)
{
	static const char *const ends[] = {"", ", which have yet to agree on a token",
					   ", and those that do not tell may have, too",
					   ", and that is not enough"};
	const char *end = s->token                    ? ends[0]
			  : s->granted >= s->majority ? ends[1]
			  : may_be_held(s)            ? ends[2]
						      : ends[3];

	if (!s->granted && s->telling == members_of(s))
		end = "";
	printf("held:     %s: granted by %" PRId64 " of %" PRId64 " members%s\n", held(s),
	       s->granted, members_of(s), end);
}

static void print_lines(struct dbl_cli *cli, struct shown *shown,
			const struct dblock_quorum_state *s)
{
	char *name = dbl_text_safe(cli->words.word[0]), *host = dbl_text_safe(s->host);

	printf("name:     %s\n", name ? name : "?");
	print_held(s);
	if (s->token)
		printf("token:    %" PRId64 "\n", s->token);
	if (s->granted)
		printf("by:       %s:%" PRId64 "\n", host && *host ? host : "?", s->pid);
	printf("waiting:  %" PRId64 "\n\n", s->waiting);
	dbl_table_print(&shown->table);
	dbl_whys_print(&shown->whys);
	free(name);
	free(host);
}

static int print_json(struct dbl_cli *cli, json_t *votes, const struct dblock_quorum_state *s)
{
	json_t *object = json_object();

	dbl_json_text(object, "name", cli->words.word[0]);
	dbl_json_text(object, "held", held(s));
	dbl_json_number(object, "token", s->token);
	dbl_json_text(object, "host", s->host);
	dbl_json_number(object, "pid", s->pid);
	dbl_json_number(object, "granted", s->granted);
	dbl_json_number(object, "voting", s->voting);
	dbl_json_number(object, "telling", s->telling);
	dbl_json_number(object, "majority", s->majority);
	dbl_json_number(object, "waiting", s->waiting);
	json_object_set(object, "members", votes);
	return dbl_json_line(object);
}

static int ended(const struct dbl_cli *cli, const struct shown *shown,
		 const struct dblock_quorum_state *s)
{
	if (s->telling < s->majority) {
		dbl_cli_error(cli,
			      "members that can tell who has it: %" PRId64 " of %" PRId64
			      "; %" PRId64 " are needed",
			      s->telling, members_of(s), s->majority);
		return DBL_EXIT_UNREACHABLE;
	}
	if (shown->is_known)
		return DBL_EXIT_OK;
	dbl_cli_note(cli, "'%s': no lock of this name is known", cli->words.word[0]);
	return DBL_EXIT_STALE;
}

int dbl_show_members(struct dbl_cli *cli)
{
	struct shown shown = {
		.table = {.heads = heads}, .votes = json_array(), .is_json = cli->json};
	struct dblock_quorum_state state = DBLOCK_QUORUM_STATE_INIT;
	int rc = dbl_cli_look(cli, cli->words.word[0], found, &shown, &state);
	int code = rc ? dbl_cli_not_opened(cli, rc, &cli->err) : ended(cli, &shown, &state);

	if (code != DBL_EXIT_STALE && state.majority && !cli->json)
		print_lines(cli, &shown, &state);
	else if (code != DBL_EXIT_STALE && state.majority && print_json(cli, shown.votes, &state))
		code = DBL_EXIT_INTERNAL;
	dbl_table_free(&shown.table);
	dbl_whys_free(&shown.whys);
	json_decref(shown.votes);
	return code;
}
