/* SPDX-License-Identifier: MIT */
/* Values as an index of MySQL finds them: of the column's own type, character set and collation. */
#include <string.h>

#include "row/rows_shape.h"

/* Whether the text is a number like "-12" or, with `fraction`, "1.50". */
static bool is_number(const struct dbl_value *value, bool fraction)
{
	size_t digits = 0, dots = 0;

	for (size_t i = 0; i < value->len; i++) {
		char c = value->text[i];

		if (c >= '0' && c <= '9')
			digits++;
		else if (c == '.' && fraction && dots == 0)
			dots++;
		else if (c != '-' || i > 0)
			return false;
	}
	return digits > 0 && digits <= 60;
}

static bool is_ascii(const struct dbl_value *value)
{
	for (size_t i = 0; i < value->len; i++) {
		if ((unsigned char)value->text[i] >= 0x80)
			return false;
	}
	return true;
}

static const char *problem_of(const struct dbl_column *column, const struct dbl_value *value)
{
	bool integer = column->kind == DBL_COLUMN_INTEGER,
	     decimal = column->kind == DBL_COLUMN_DECIMAL;

	if ((integer || decimal) && value->type == DBL_TEXT && !is_number(value, decimal))
		return integer ? "is no integer, which the database would take for another one"
			       : "is no number, which the database would take for one";
	if ((column->kind == DBL_COLUMN_DATE || column->kind == DBL_COLUMN_TIME ||
	     column->kind == DBL_COLUMN_UUID) &&
	    value->type == DBL_INT)
		return "is an integer; give a text";
	return NULL;
}

/* A number of up to 18 digits fits a signed integer; a longer one may need an unsigned one. */
static const char *number_type(const struct dbl_column *column, const struct dbl_value *value)
{
	if (value->type == DBL_INT || (column->kind == DBL_COLUMN_INTEGER && value->len <= 18))
		return "SIGNED";
	return column->kind == DBL_COLUMN_INTEGER ? "DECIMAL(65, 0)" : "DECIMAL(65, 30)";
}

void dbl_rows_value(struct dbl_str *sql, const struct dbl_column *column,
		    const struct dbl_value *value, unsigned at)
{
	static const char *const types[] = {[DBL_COLUMN_BYTES] = "BINARY",
					    [DBL_COLUMN_DATE] = "DATE",
					    [DBL_COLUMN_TIME] = "DATETIME(6)",
					    [DBL_COLUMN_UUID] = "UUID"};
	const char *type = types[column->kind];

	/* CONCAT is there since MySQL refuses to convert an argument if a character would be
	 * lost. */
	if (column->kind == DBL_COLUMN_TEXT)
		dbl_str_addf(sql, "CONVERT(CONCAT($%u) USING %s) COLLATE %s", at, column->charset,
			     column->collation);
	else
		dbl_str_addf(sql, "CAST($%u AS %s)", at, type ? type : number_type(column, value));
}

/* Adds that no character may be lost: what the character set lacks becomes, and would match,
 * '?'. */
static void add_lossless(struct dbl_str *sql, const struct dbl_column *column,
			 const struct dbl_value *value, unsigned at)
{
	if (column->kind != DBL_COLUMN_TEXT || value->type != DBL_TEXT || is_ascii(value) ||
	    strcmp(column->charset, "utf8mb4") == 0)
		return;
	dbl_str_addf(sql,
		     " AND CAST(CONVERT(CONVERT(CONCAT($%u) USING %s) USING utf8mb4) AS BINARY) = "
		     "CAST(CONVERT($%u USING utf8mb4) AS BINARY)",
		     at, column->charset, at);
}

int dbl_rows_equals(struct dbl_str *sql, const struct dbl_rows_job *job,
		    const struct dbl_rows_shape *shape, unsigned column,
		    const struct dbl_value *value, unsigned at, struct dblock_error *err)
{
	const char *problem = problem_of(&shape->columns[column], value);

	if (problem)
		return dbl_fail(err, DBLOCK_E_INVALID, "a value for column %s, of type %s, %s",
				job->names.columns[column], shape->columns[column].type, problem);
	dbl_str_addf(sql, "%s = ", job->names.columns[column]);
	dbl_rows_value(sql, &shape->columns[column], value, at);
	add_lossless(sql, &shape->columns[column], value, at);
	return 0;
}
