/* SPDX-License-Identifier: MIT */
/* ${NAME} in another tool's file: a value that its user gives when it runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/import/import_own.h"

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

struct variable {
	const char *text; /* as it stands there, */
	size_t len;
	const char *name;
	size_t name_len;
	const char *other; /* what it is if nobody has set it; NULL: nothing */
	size_t other_len;
	bool or_empty; /* or to nothing */
};

/* Reads ${NAME}, with defaults also ${NAME:-other} and ${NAME-other}. */
static bool read_braced(const char *at, size_t len, bool defaults, struct variable *v)
{
	const char *end = memchr(at, '}', len), *name = at + 2;
	size_t n = end ? (size_t)(end - name) : 0, word = strspn(name, letters);

	if (!n)
		return false;
	*v = (struct variable){
		.text = at, .len = (size_t)(end + 1 - at), .name = name, .name_len = n};
	v->or_empty = name[word] == ':';
	v->other = name + word + v->or_empty;
	if (!defaults || word == 0 || *v->other != '-') {
		v->other = NULL;
		return true;
	}
	v->name_len = word;
	v->other++;
	v->other_len = (size_t)(end - v->other);
	return true;
}

/* Reads the variable that begins there; plain: $NAME is one, too. */
static bool read_variable(const char *at, size_t len, bool plain, struct variable *v)
{
	size_t word;

	if (len < 2 || at[0] != '$')
		return false;
	if (at[1] == '{')
		return read_braced(at, len, plain, v);
	word = strspn(at + 1, letters);
	word = word < len - 1 ? word : len - 1;
	if (!plain || word == 0 || (at[1] >= '0' && at[1] <= '9'))
		return false;
	*v = (struct variable){.text = at, .len = word + 1, .name = at + 1, .name_len = word};
	return true;
}

/* Writes its value. False: it has none. */
static bool put_value(struct dbl_import *im, FILE *out, const struct variable *v)
{
	char *name = im->of->env ? strndup(v->name, v->name_len) : NULL;
	const char *value = name ? getenv(name) : NULL;
	bool other = im->of->env && v->other && (!value || (v->or_empty && !*value));

	if (other)
		fwrite(v->other, 1, v->other_len, out);
	else if (value)
		fputs(value, out);
	else
		fwrite(v->text, 1, v->len, out);
	free(name);
	return value || other;
}

static void put_line(struct dbl_import *im, FILE *out, const char *path,
		     const struct dbl_line *line, bool plain)
{
	struct variable v;

	for (size_t i = 0; i < line->len; i++) {
		/* With goose, $$ and \$ are a $. */
		if (plain && i + 1 < line->len && line->text[i + 1] == '$' &&
		    strchr("$\\", line->text[i])) {
			putc(line->text[++i], out);
			continue;
		}
		if (!read_variable(line->text + i, line->len - i, plain, &v)) {
			putc(line->text[i], out);
			continue;
		}
		if (!put_value(im, out, &v))
			dbl_import_tell(im, DBL_IMPORT_WRONG, path, line->number,
					im->of->env
						? "%.*s has no value: %.*s is not set in the "
						  "environment"
						: "%.*s is a variable; write its value there, or "
						  "set %.*s in the environment and add --env",
					(int)v.len, v.text, (int)v.name_len, v.name);
		i += v.len - 1;
	}
}

void dbl_variables(struct dbl_import *im, const char *path, struct dbl_line *line, bool plain)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!memchr(line->text, '$', line->len))
		return;
	out = open_memstream(&text, &len);
	if (out)
		put_line(im, out, path, line, plain);
	if (!out || fclose(out)) {
		im->no_memory = true;
		free(text);
		return;
	}
	line->text = dbl_import_keep(im, text);
	line->len = len;
}
