/* SPDX-License-Identifier: MIT */
/*
 * Variables: ${name} in a text whose head, the comments before its first statement, has a line
 * "-- dblock:variables name, ...". In all other texts ${..} is what it is for the database. The
 * checksums are of the text as it was written, so a value is not a part of it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/sqlscan.h"
#include "base/str.h"
#include "migrate/parse/split.h"
#include "migrate/set/set_own.h"

struct filling {
	struct dbl_script *script;
	const struct dblock_migrate_options *which;
	const char *names; /* of the head's line, which ends with \n or NUL */
	size_t line;       /* its number */
	struct dbl_spool out;
};

static size_t name_at(const char *text)
{
	size_t n = 0;

	while (dbl_sql_is_word(text[n]))
		n++;
	return *text >= '0' && *text <= '9' ? 0 : n;
}

/* Finds the line in the head of the text; false: there is none. */
static bool find_names(struct filling *filling)
{
	const char *line = filling->script->text.text;

	for (size_t number = 1; *line; number++) {
		if (strncmp(line, DBL_VARIABLES, sizeof(DBL_VARIABLES) - 1) == 0) {
			filling->names = line + sizeof(DBL_VARIABLES) - 1;
			filling->line = number;
			return true;
		}
		if (*line != '\n' && strncmp(line, "--", 2) != 0)
			return false;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return false;
}

/* Fails unless the line has names, with commas or blanks between them. */
static int check_names(const struct filling *filling, struct dblock_error *err)
{
	const char *at = filling->names + strspn(filling->names, " \t,");
	size_t n = 0, len;

	for (; (len = name_at(at)) > 0; n++) {
		at += len;
		at += strspn(at, " \t,");
	}
	if (n > 0 && (!*at || *at == '\n'))
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"%s:%zu:1: it is to name the variables of this file, letters, digits and _ "
			"each: '" DBL_VARIABLES "schema, owner'",
			filling->script->path, filling->line);
}

static bool is_named(const struct filling *filling, const char *name, size_t len)
{
	const char *at = filling->names;
	size_t n;

	for (;; at += n) {
		at += strspn(at, " \t,");
		n = name_at(at);
		if (n == 0)
			return false;
		if (n == len && memcmp(at, name, len) == 0)
			return true;
	}
}

static int refuse(const struct filling *filling, const char *at, const char *why, size_t len,
		  struct dblock_error *err)
{
	const struct dbl_script *script = filling->script;
	struct dbl_position where =
		dbl_position(script->text.text, script->text.len, (size_t)(at - script->text.text));

	return dbl_fail(err, DBLOCK_E_INVALID, "%s:%zu:%zu: '%.*s' %s", script->path, where.line,
			where.col, (int)len, at, why);
}

/* A line's end in a value would move the lines of the file, which messages name. */
static bool is_plain(const char *value)
{
	for (; *value; value++) {
		if ((unsigned char)*value < ' ')
			return false;
	}
	return true;
}

/* A failure of this is told at the end. */
static void put(struct filling *filling, const char *text, size_t len)
{
	(void)dbl_spool_add(&filling->out, text, len);
}

/* Puts the value of "${name}" at `at`. */
static int put_value(struct filling *filling, const char *at, size_t len, struct dblock_error *err)
{
	const struct dblock_migrate_options *which = filling->which;
	char *name = dbl_strndup(at + 2, len - 3);
	const char *value;
	int rc = 0;

	if (!name)
		return dbl_set_no_memory(err);
	value = which && which->variable ? which->variable(which->variable_arg, name) : NULL;
	if (!is_named(filling, name, len - 3))
		rc = refuse(
			filling, at,
			"is not among the variables that the head of this file names; add it, or "
			"correct it",
			len, err);
	else if (!value)
		rc = refuse(filling, at,
			    "has no value; give one with -V NAME=VALUE, or as a variable of the "
			    "environment",
			    len, err);
	else if (!is_plain(value))
		rc = refuse(filling, at,
			    "has a value with a line's end or another control character", len, err);
	else
		put(filling, value, strlen(value));
	dbl_free(name);
	return rc;
}

static int fill_line(struct filling *filling, const char *at, const char *end,
		     struct dblock_error *err)
{
	const char *next;
	int rc = 0;

	while (rc == 0 && (next = memmem(at, (size_t)(end - at), "${", 2)) != NULL) {
		size_t len = name_at(next + 2);
		bool whole = len > 0 && next[2 + len] == '}';

		put(filling, at, (size_t)(next - at) + (whole ? 0 : 2));
		at = next + (whole ? len + 3 : 2);
		if (whole)
			rc = put_value(filling, next, len + 3, err);
	}
	put(filling, at, (size_t)(end - at));
	return rc;
}

static int fill(struct filling *filling, struct dblock_error *err)
{
	const struct dbl_text *text = &filling->script->text;
	const char *at = text->text, *end = at + text->len, *passed = at;
	int rc = 0;

	while (rc == 0 && at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		const char *next = lf ? lf + 1 : end;

		rc = fill_line(filling, at, next, err);
		at = next;
		if (at - passed > DBL_TEXT_STRIDE) {
			dbl_text_passed(text->text, text->mapped);
			passed = at;
		}
	}
	return rc;
}

int dbl_script_fill(struct dbl_set *set, struct dbl_script *script,
		    const struct dblock_migrate_options *which, struct dblock_error *err)
{
	struct filling filling = {.script = script, .which = which};
	int rc;

	if (set->own || !find_names(&filling))
		return 0;
	rc = check_names(&filling, err);
	if (rc)
		return rc;
	dbl_set_spool(set, &filling.out);
	rc = fill(&filling, err);
	if (rc == 0)
		return dbl_set_spooled(set, script, &filling.out, &script->text, err);
	dbl_spool_drop(&filling.out);
	return rc;
}
