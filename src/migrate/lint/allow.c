/* SPDX-License-Identifier: MIT */
/* "-- dblock:allow RULE reason": a line above a statement, for who reviews it. */
#include <string.h>

#include "migrate/lint/own.h"

static const char directive[] = "-- dblock:allow";

static bool has_rule(const struct dbl_rule *rules, const char *id, size_t len)
{
	for (; rules->id; rules++)
		if (strncmp(rules->id, id, len) == 0 && !rules->id[len])
			return true;
	return false;
}

/* Moves *line behind blanks and the next word; returns its length. */
static size_t word(const char **line, const char *end)
{
	const char *from;

	while (*line < end && (**line == ' ' || **line == '\t'))
		++*line;
	from = *line;
	while (*line < end && **line != ' ' && **line != '\t')
		++*line;
	return (size_t)(*line - from);
}

const char *dbl_allow_check(const char *line, size_t len)
{
	const char *end = line + len;
	size_t n;

	line += sizeof(directive) - 1;
	n = word(&line, end);
	if (n == 0 || word(&line, end) == 0)
		return "say which rule and why: '-- dblock:allow RULE reason'";
	line = end - len + sizeof(directive) - 1;
	n = word(&line, end);
	if (has_rule(dbl_rules_statement, line - n, n) ||
	    has_rule(dbl_rules_postgresql_action, line - n, n) ||
	    has_rule(dbl_rules_mysql_action, line - n, n) ||
	    has_rule(dbl_rules_sqlite_action, line - n, n))
		return NULL;
	return "there is no such rule; 'dblock migrate plan' names them";
}

static bool is_comment(const char *line, size_t len)
{
	while (len > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	return len >= 2 && memcmp(line, "--", 2) == 0;
}

static bool allows(const char *line, size_t len, const char *rule)
{
	const char *end = line + len;
	size_t n = sizeof(directive) - 1;

	if (len < n || memcmp(line, directive, n) != 0)
		return false;
	line += n;
	n = word(&line, end);
	return strlen(rule) == n && memcmp(line - n, rule, n) == 0;
}

bool dbl_allowed(const char *text, size_t at, const char *rule)
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	while (at > 0) {
		size_t end = at - 1, from = end;

		while (from > 0 && text[from - 1] != '\n')
			from--;
		if (allows(text + from, end - from, rule))
			return true;
		if (!is_comment(text + from, end - from))
			return false;
		at = from;
	}
	return false;
}
