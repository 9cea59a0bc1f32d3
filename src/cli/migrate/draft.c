/* SPDX-License-Identifier: MIT */
/* dblock migrate new --version-column, --fence: texts from templates and names. */
#include "cli/migrate/draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/files.h"
#include "cli/ui/print.h"

/* The servers' limits; PostgreSQL would cut a longer name without an error. SQLite has none. */
enum { POSTGRESQL_NAME = 63, MYSQL_NAME = 64, PREFIX_MAX = 32, LOCK_MAX = 255, CUT = 9 };

static bool is(const char *dialect, const char *name)
{
	return strcmp(dialect, name) == 0;
}

static size_t name_max(const char *dialect)
{
	return is(dialect, "postgresql") ? POSTGRESQL_NAME : MYSQL_NAME;
}

static const char *table_of(const struct dbl_draft *draft)
{
	const char *dot = strchr(draft->table, '.');

	return dot ? dot + 1 : draft->table;
}

/* ---- checking names ------------------------------------------------------------------------- */

static int check_identifier(const char *what, const char *text, size_t len, size_t max,
			    struct dblock_error *err)
{
	if (dbl_migrate_is_identifier(text, len) && len <= max)
		return 0;
	return dbl_migrate_refuse(
		err,
		"%s '%.80s' is not an identifier; use 1 to %zu letters, digits and "
		"underscores, not beginning with a digit",
		what, text, max);
}

/* Check schema and table, with a dot between them. */
static int check_table(const char *table, const char *dialect, struct dblock_error *err)
{
	const char *dot = strchr(table, '.');
	int rc = 0;

	if (dot)
		rc = check_identifier("the schema in", table, (size_t)(dot - table),
				      name_max(dialect), err);
	if (rc)
		return rc;
	table = dot ? dot + 1 : table;
	return check_identifier("table", table, strlen(table), name_max(dialect), err);
}

/* Check a lock's name by the library's rules. */
static int check_lock(const char *lock, struct dblock_error *err)
{
	size_t len = strlen(lock);
	char *safe = dbl_text_utf8(lock);
	bool good = safe && strcmp(safe, lock) == 0 && len >= 1 && len <= LOCK_MAX;

	for (const char *c = lock; *c; c++) {
		bool c1 = c[0] == '\xC2' && (unsigned char)c[1] < 0xA0;

		good = good && (unsigned char)*c >= ' ' && *c != '\x7F' && !c1;
	}
	free(safe);
	if (good)
		return 0;
	return dbl_migrate_refuse(err,
				  "--lock: this is no name for a lock; use 1 to %d bytes of UTF-8 "
				  "without control characters",
				  LOCK_MAX);
}

static int check_fence(const struct dbl_draft *draft, const char *dialect, struct dblock_error *err)
{
	int rc;

	if (is(dialect, "sqlite"))
		return dbl_migrate_refuse(
			err,
			"--fence: a trigger of SQLite cannot tell which connection writes, so it "
			"cannot demand a fence of it\n"
			"next:  on SQLite, call dblock_fence() in every transaction that writes\n"
			"       for other databases, add --dialect postgresql or --dialect mysql");
	rc = check_lock(draft->lock, err);
	if (rc == 0 && draft->prefix)
		rc = check_identifier("prefix", draft->prefix, strlen(draft->prefix), PREFIX_MAX,
				      err);
	if (rc == 0 && draft->schema)
		rc = check_identifier("schema", draft->schema, strlen(draft->schema),
				      POSTGRESQL_NAME, err);
	return rc;
}

int dbl_draft_check(const struct dbl_draft *draft, const char *dialect, struct dblock_error *err)
{
	int rc;

	if (!draft->template)
		return 0;
	rc = check_table(draft->table, dialect, err);
	if (rc == 0 && draft->column)
		rc = check_identifier("column", draft->column, strlen(draft->column),
				      name_max(dialect), err);
	if (rc == 0 && is(draft->template, "fence"))
		rc = check_fence(draft, dialect, err);
	return rc;
}

char *dbl_draft_name(const struct dbl_draft *draft)
{
	const char *table = table_of(draft);
	char *name = NULL;

	/* A migration's name begins with a letter or a digit. */
	table += strspn(table, "_");
	return asprintf(&name, "%s_%s", table, draft->template) < 0 ? NULL : name;
}

/* ---- what replaces {word} ------------------------------------------------------------------- */

static void put_quoted(FILE *out, const char *dialect, const char *name, size_t len)
{
	char quote = is(dialect, "mysql") ? '`' : '"';

	fprintf(out, "%c%.*s%c", quote, (int)len, name, quote);
}

/* Put "app"."account": the table's schema, and its name, or one that was made from it. */
static void put_beside(FILE *out, const struct dbl_draft *draft, const char *dialect,
		       const char *name)
{
	const char *dot = strchr(draft->table, '.');

	if (dot) {
		put_quoted(out, dialect, draft->table, (size_t)(dot - draft->table));
		putc('.', out);
	}
	put_quoted(out, dialect, name, strlen(name));
}

/* FNV-1a. */
static uint32_t sum_of(const char *text)
{
	uint32_t sum = UINT32_C(2166136261);

	while (*text)
		sum = (sum ^ (unsigned char)*text++) * UINT32_C(16777619);
	return sum;
}

/* Put "account_fence"; if it is too long, it is cut, with a checksum that makes it unique. */
static void put_own(FILE *out, const struct dbl_draft *draft, const char *dialect,
		    const char *suffix)
{
	const char *table = table_of(draft);
	size_t room = name_max(dialect) - strlen(suffix);
	char name[2 * MYSQL_NAME];

	if (strlen(table) <= room)
		snprintf(name, sizeof(name), "%s%s", table, suffix);
	else
		snprintf(name, sizeof(name), "%.*s_%08" PRIx32 "%s", (int)room - CUT, table,
			 sum_of(table), suffix);
	put_beside(out, draft, dialect, name);
}

/* Put one of dblock's tables: on PostgreSQL with its schema whatever the search_path is, as the
 * library does. */
static void put_dblock(FILE *out, const struct dbl_draft *draft, const char *dialect,
		       const char *which)
{
	const char *schema = draft->schema || !is(dialect, "postgresql") ? draft->schema : "public";
	char name[PREFIX_MAX + 16];

	if (schema) {
		put_quoted(out, dialect, schema, strlen(schema));
		putc('.', out);
	}
	snprintf(name, sizeof(name), "%s%s", draft->prefix ? draft->prefix : "dblock_", which);
	put_quoted(out, dialect, name, strlen(name));
}

/* Put a string that is right for all settings of the server, and all character sets. */
static void put_string(FILE *out, const char *dialect, const char *text)
{
	bool mysql = is(dialect, "mysql"), backslash = strchr(text, '\\');

	if (mysql && backslash) {
		fputs("X'", out);
		for (; *text; text++)
			fprintf(out, "%02X", (unsigned)(unsigned char)*text);
	} else {
		fputs(mysql ? "_utf8mb4'" : backslash ? "E'" : "'", out);
		for (; *text; text++)
			fprintf(out, "%s%c",
				*text == '\''   ? "'"
				: *text == '\\' ? "\\"
						: "",
				*text);
	}
	putc('\'', out);
}

/* ---- the text ------------------------------------------------------------------------------- */

static void put_word(FILE *out, const struct dbl_draft *draft, const char *dialect,
		     const char *word)
{
	static const char *const own[][2] = {{"function", "_fence"},
					     {"procedure", "_fence"},
					     {"insert_trigger", "_fence_insert"},
					     {"update_trigger", "_fence_update"},
					     {"delete_trigger", "_fence_delete"}};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (is(word, own[i][0])) {
			put_own(out, draft, dialect, own[i][1]);
			return;
		}
	if (is(word, "table"))
		put_beside(out, draft, dialect, table_of(draft));
	else if (is(word, "table_text"))
		put_string(out, dialect, draft->table);
	else if (is(word, "column"))
		put_quoted(out, dialect, draft->column, strlen(draft->column));
	else if (is(word, "lock"))
		put_string(out, dialect, draft->lock);
	else if (is(word, "lock_table"))
		put_dblock(out, draft, dialect, "lock");
	else if (is(word, "queue_table"))
		put_dblock(out, draft, dialect, "queue");
	else
		abort(); /* a template that no test has used */
}

static void fill(FILE *out, const struct dbl_draft *draft, const char *dialect, const char *text)
{
	char word[32];
	int len;

	for (; *text; text++) {
		len = 0;
		if (sscanf(text, "{%31[a-z_]}%n", word, &len) == 1 && len) {
			put_word(out, draft, dialect, word);
			text += len - 1;
		} else {
			putc(*text, out);
		}
	}
}

char *dbl_draft_text(const struct dbl_draft *draft, const char *dialect, bool up)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed;

	if (!out)
		return NULL;
	for (const struct dbl_template *t = dbl_templates; t->name && draft->template; t++)
		if (is(t->name, draft->template) && is(t->dialect, dialect))
			fill(out, draft, dialect, up ? t->up : t->down);
	failed = ferror(out);
	if (fclose(out) || failed) {
		free(text);
		return NULL;
	}
	return text;
}
