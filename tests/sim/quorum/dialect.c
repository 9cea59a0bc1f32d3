/* SPDX-License-Identifier: MIT */
/* The dialect of members: SQLite's, but as a server's, and with the statements of a cluster, which SQLite has no
 * use for. Those are PostgreSQL's, with other words for what SQLite calls otherwise. A server has one clock. */
#include "sql/dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char *const dbl_sql_postgresql[];

static const struct {
	const char *from, *to;
} words[] = {
	{"(extract(epoch FROM clock_timestamp()) * 1000000)::bigint", "$wall"},
	{"::bigint", ""},
	{"::text", ""},
	{"::int", ""},
	{"FOR SHARE", ""},
	/* greatest() passes over NULL. */
	{"(SELECT f.token FROM dblock_floor f WHERE f.id = 1) + 1",
	 "coalesce((SELECT f.token FROM dblock_floor f WHERE f.id = 1), 0) + 1"},
	{"greatest(", "max("},
	{"RETURNING l.", "RETURNING "},
};

/* Frees the text. No word contains what it stands for. */
static char *with_word(char *text, const char *from, const char *to)
{
	char *at;

	while ((at = strstr(text, from))) {
		size_t size = strlen(text) + strlen(to) + 1;
		char *changed = malloc(size);

		if (!changed)
			abort();
		snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
		free(text);
		text = changed;
	}
	return text;
}

static const char *translated(const char *given)
{
	char *text = strdup(given);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		text = with_word(text, words[i].from, words[i].to);
	return text;
}

/* What names the server now: $server. */
static const char history_tip[] =
	"-- history_tip: the newest history of this database, and what names the server now\n"
	"SELECT coalesce(t.n, 0) AS n, coalesce(t.id, '') AS id, coalesce(t.facts, '') AS noted, "
	"$server AS facts, EXISTS (SELECT 1 FROM dblock_history k WHERE k.id = $1) AS known "
	"FROM (SELECT max(n) AS n FROM dblock_history) m LEFT JOIN dblock_history t ON t.n = m.n";

static struct dbl_dialect member;

int __real_dbl_dialect_find(const char *scheme, const struct dbl_dialect **,
			    struct dblock_error *err);
int __wrap_dbl_dialect_find(const char *scheme, const struct dbl_dialect **,
			    struct dblock_error *err);

static int make_member(struct dblock_error *err)
{
	static const char *sql[DBL_OP_COUNT];
	const struct dbl_dialect *sqlite;
	int rc = __real_dbl_dialect_find("sqlite", &sqlite, err);

	if (rc)
		return rc;
	memcpy(sql, sqlite->sql, sizeof(sql));
	sql[DBL_OP_history_tip] = history_tip;
	sql[DBL_OP_quorum_join] = translated(dbl_sql_postgresql[DBL_OP_quorum_join]);
	sql[DBL_OP_quorum_vote] = translated(dbl_sql_postgresql[DBL_OP_quorum_vote]);
	sql[DBL_OP_quorum_raise] = translated(dbl_sql_postgresql[DBL_OP_quorum_raise]);
	member = *sqlite;
	member.sql = sql;
	member.is_file = member.relaxes = false;
	return 0;
}

/* By the linker (--wrap) this is in the place of the library's. */
int __wrap_dbl_dialect_find(const char *scheme, const struct dbl_dialect **out,
			    struct dblock_error *err)
{
	int rc = 0;

	if (strcmp(scheme, "member") != 0)
		return __real_dbl_dialect_find(scheme, out, err);
	if (!member.sql)
		rc = make_member(err);
	*out = &member;
	return rc;
}
