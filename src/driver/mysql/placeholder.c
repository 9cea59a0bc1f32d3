/* SPDX-License-Identifier: MIT */
#include "driver/mysql/placeholder.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/sqlscan.h"
#include "base/str.h"

/* MySQL allows a dollar sign and every byte above ASCII inside a name: a$1 is a column. */
static size_t name_len(const char *at)
{
	size_t len = 0;

	while (dbl_sql_is_word(at[len]) || (unsigned char)at[len] >= 0x80 ||
	       (len > 0 && at[len] == '$'))
		len++;
	return len;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The n of the $n at `at`, 0 if it is out of range. */
static unsigned number_at(const char *at, size_t *len)
{
	unsigned n = 0;

	for (*len = 1; is_digit(at[*len]); ++*len)
		n = n > DBL_MYSQL_ARGS_MAX ? n : n * 10 + (unsigned)(at[*len] - '0');
	return n > DBL_MYSQL_ARGS_MAX ? 0 : n;
}

static int add_place(struct dbl_mysql_text *text, struct dbl_str *order, unsigned n,
		     struct dblock_error *err)
{
	unsigned char index = (unsigned char)(n - 1);

	if (n == 0)
		return dbl_fail(err, DBLOCK_E_BUG, "statement: placeholders are $1 to $%d",
				DBL_MYSQL_ARGS_MAX);
	dbl_str_addn(order, (const char *)&index, 1);
	text->n_places++;
	if (n > text->n_args)
		text->n_args = n;
	return 0;
}

static int scan(const char *at, struct dbl_mysql_text *text, struct dbl_str *sql,
		struct dbl_str *order, struct dblock_error *err)
{
	int rc = 0;

	while (rc == 0 && *at) {
		size_t len = dbl_sql_skip(at);

		if (len == 0 && *at == '$' && is_digit(at[1])) {
			rc = add_place(text, order, number_at(at, &len), err);
			dbl_str_add(sql, "?");
		} else if (len == 0 && *at == '?') {
			rc = dbl_fail(err, DBLOCK_E_BUG, "statement: a bare ? where $n is meant");
		} else {
			len = len ? len : name_len(at);
			dbl_str_addn(sql, at, len ? len : (len = 1));
		}
		at += len;
	}
	return rc;
}

/* The text from the first byte that is neither space nor comment. */
static const char *code_of(const char *sql)
{
	for (size_t len; *sql; sql += len) {
		len = dbl_sql_skip(sql);
		if (len == 0 && !isspace((unsigned char)*sql))
			break;
		len = len ? len : 1;
	}
	return sql;
}

bool dbl_mysql_is_empty(const char *sql)
{
	return !*code_of(sql);
}

bool dbl_mysql_is_text_only(const char *sql)
{
	static const char *const words[] = {"SAVEPOINT", "ROLLBACK", "RELEASE", "SHOW"};
	const char *code = code_of(sql);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (strncasecmp(code, words[i], len) == 0 && name_len(code) == len)
			return true;
	}
	return false;
}

int dbl_mysql_rewrite(const char *text, struct dbl_mysql_text *out, struct dblock_error *err)
{
	struct dbl_str sql = {0}, order = {0};
	int rc;

	*out = (struct dbl_mysql_text){0};
	dbl_str_add(&sql, "");
	dbl_str_add(&order, "");
	rc = scan(text, out, &sql, &order, err);
	out->sql = dbl_str_take(&sql);
	out->order = (unsigned char *)dbl_str_take(&order);
	if (rc == 0 && (!out->sql || !out->order))
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (rc)
		dbl_mysql_text_free(out);
	return rc;
}

static int add_number(struct dbl_str *sql, const struct dbl_value *arg, struct dblock_error *err)
{
	if (arg->type != DBL_INT)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"the server does not prepare this statement: its arguments can only "
			"be numbers; write others into its text");
	dbl_str_addi(sql, arg->i);
	return 0;
}

int dbl_mysql_fill(const struct dbl_mysql_text *text, const struct dbl_value *args, char **out,
		   struct dblock_error *err)
{
	struct dbl_str sql = {0};
	unsigned k = 0;
	int rc = 0;
	size_t len;

	for (const char *at = text->sql; rc == 0 && *at; at += len) {
		len = dbl_sql_skip(at);
		if (len == 0 && *at == '?')
			rc = add_number(&sql, &args[text->order[k++]], err);
		else
			dbl_str_addn(&sql, at, len ? len : 1);
		len = len ? len : 1;
	}
	*out = dbl_str_take(&sql);
	if (rc == 0 && !*out)
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return rc;
}

void dbl_mysql_text_free(struct dbl_mysql_text *text)
{
	dbl_free(text->sql);
	dbl_free(text->order);
	*text = (struct dbl_mysql_text){0};
}
