/* SPDX-License-Identifier: MIT */
#include "split_maker.h"

#include <stdlib.h>
#include <string.h>

/* This is xorshift64: it makes the same files on every machine. */
unsigned draw(struct maker *m, unsigned n)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 7;
	m->seed ^= m->seed << 17;
	return (unsigned)(m->seed >> 33) % n;
}

void put(struct maker *m, const char *text)
{
	size_t len = strlen(text);

	if (m->len + len >= MAKER_ROOM)
		abort();
	memcpy(m->text + m->len, text, len);
	m->len += len;
}

void put_gap(struct maker *m)
{
	static const char *const gaps[] = {" ",          "\n",          "\t",          " ",
					   "\r\n  ",     " /* ; ' */ ", " -- it's;\n", "\n/**/\n",
					   " -- END;\n", "/* $$ */"};

	if (m->hash && draw(m, 12) == 0)
		put(m, " # it's; \"\n");
	else if (m->nested && draw(m, 12) == 0)
		put(m, " /* one /* two; */ ' */ ");
	else
		put(m, gaps[draw(m, draw(m, 3) ? 4 : 10)]);
}

void words(struct maker *m, const char *text)
{
	char part[2] = "";

	for (; *text; text++) {
		part[0] = *text;
		if (*text == ' ')
			put_gap(m);
		else
			put(m, *text == '_' ? " " : part); /* inside quotes */
	}
}
