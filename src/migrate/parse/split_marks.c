/* SPDX-License-Identifier: MIT */
/* Finds comments that are commands: ours, and those of other tools. */
#include <string.h>
#include <strings.h>

#include "migrate/parse/split_own.h"

static bool begins(const char *text, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && strncasecmp(text, with, n) == 0;
}

/* Returns the length of the `--` or `#` and the blanks behind it; 0: it is no such comment. */
static size_t opening(const char *line, size_t len)
{
	size_t at = begins(line, len, "--") ? 2 : begins(line, len, "#") ? 1 : 0;

	while (at > 0 && at < len && (line[at] == ' ' || line[at] == '\t'))
		at++;
	return at;
}

const char *dbl_split_tool(const char *line, size_t len)
{
	static const struct {
		const char *mark, *tool;
	} marks[] = {
		{"+goose ", "goose"},
		{"+migrate ", "sql-migrate"},
		{"migrate:up", "dbmate"},
		{"migrate:down", "dbmate"},
		{"liquibase formatted sql", "Liquibase"},
		{"atlas:", "Atlas"},
		{"rambler up", "Rambler"},
		{"rambler down", "Rambler"},
		{"-- create above / drop below --", "tern"},
		{"//@UNDO", "MyBatis Migrations"},
		{"// @UNDO", "MyBatis Migrations"},
		{"!Ups", "Play evolutions"},
		{"!Downs", "Play evolutions"},
		{"--- !Ups", "Play evolutions"},
		{"--- !Downs", "Play evolutions"},
	};
	size_t at = opening(line, len);

	for (size_t i = 0; at > 0 && i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (begins(line + at, len - at, marks[i].mark))
			return marks[i].tool;
	}
	return NULL;
}

static bool is_end(const char *text, size_t len)
{
	while (len > 0 && (*text == ' ' || *text == '\t' || *text == '\r')) {
		text++;
		len--;
	}
	return len == 0 || *text == '\n';
}

bool dbl_split_is_directive(const char *line, size_t len)
{
	static const char *const spellings[] = {"no-transaction", "no_transaction",
						"no transaction", "notransaction"};
	size_t at = opening(line, len);

	for (size_t i = 0; at > 0 && i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		size_t n = strlen(spellings[i]);

		if (begins(line + at, len - at, spellings[i]) &&
		    is_end(line + at + n, len - at - n))
			return true;
	}
	return false;
}

bool dbl_split_no_transaction(const char *text, size_t len)
{
	static const char directive[] = "-- no-transaction";
	size_t n = sizeof(directive) - 1, bom = dbl_skip_bom(text, len);

	text += bom;
	len -= bom;
	return len >= n && memcmp(text, directive, n) == 0 && is_end(text + n, len - n);
}
