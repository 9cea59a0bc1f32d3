/* SPDX-License-Identifier: MIT */
#include "lock/quorum/roster.h"

#include <stdio.h>
#include <string.h>

#define MARK '-'

static const char *entry_of(const char *roster, int64_t number)
{
	while (--number > 0 && roster) {
		roster = strchr(roster, ' ');
		roster = roster ? roster + 1 : NULL;
	}
	return roster;
}

bool dbl_roster_has(const char *roster, int64_t number, const char *history)
{
	const char *at = entry_of(roster, number);
	size_t len = strlen(history);

	return at && len > 0 && strncmp(at, history, len) == 0 && (!at[len] || at[len] == ' ');
}

bool dbl_roster_is_marked(const char *roster, int64_t number)
{
	const char *at = entry_of(roster, number);

	return at && *at == MARK;
}

int64_t dbl_roster_marked(const char *roster)
{
	for (int64_t number = 1; entry_of(roster, number); number++) {
		if (dbl_roster_is_marked(roster, number))
			return number;
	}
	return 0;
}

void dbl_roster_doubt(char roster[DBL_ROSTER_SIZE], const char *other)
{
	const char *at;

	for (int64_t number = 1; (at = entry_of(roster, number)); number++) {
		const char *its = entry_of(other, number);
		size_t from = (size_t)(at - roster), len = strcspn(at, " ");

		if (*at == MARK || (its && strcspn(its, " ") == len && strncmp(at, its, len) == 0))
			continue;
		memmove(roster + from + 1, at, strlen(at) + 1);
		roster[from] = MARK;
	}
}

void dbl_roster_put(char to[DBL_ROSTER_SIZE], const char *roster, int64_t number,
		    const char *history, bool marked)
{
	const char *from = entry_of(roster, number);
	const char *rest = from ? strchr(from, ' ') : NULL;

	(void)snprintf(to, DBL_ROSTER_SIZE, "%.*s%s%s%s", from ? (int)(from - roster) : 0, roster,
		       marked ? "-" : "", history, rest ? rest : "");
}

bool dbl_roster_awaits(const char *marked, const char *roster)
{
	const char *mark = strchr(marked, MARK);
	size_t before = mark ? (size_t)(mark - marked) : 0;

	return mark && strncmp(marked, roster, before) == 0 &&
	       strcmp(mark + 1, roster + before) == 0;
}
