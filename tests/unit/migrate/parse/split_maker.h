/* SPDX-License-Identifier: MIT */
/* Texts of random statements, with blanks and comments strewn in. */
#ifndef TESTS_UNIT_MIGRATE_SPLIT_MAKER_H
#define TESTS_UNIT_MIGRATE_SPLIT_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAKER_STATEMENTS = 8, MAKER_ROOM = 1 << 16 };

struct maker {
	uint64_t seed;
	char text[MAKER_ROOM];
	size_t len;
	bool hash; /* # comments */
	bool nested;
	size_t from[MAKER_STATEMENTS], to[MAKER_STATEMENTS]; /* of the statements */
	int n;
};

/* Returns a number below n. */
unsigned draw(struct maker *, unsigned n);
#define PICK(m, list) (list)[draw((m), sizeof(list) / sizeof((list)[0]))]

/* Writes this text. */
void put(struct maker *, const char *text);

/* Writes blanks, a comment, or both. */
void put_gap(struct maker *);

/* Writes this text, with such a gap for each blank; `_` is a blank that stays one, as inside
 * quotes. */
void words(struct maker *, const char *text);

/* Writes a statement of MySQL: half of them are stored programs. */
void mysql_top(struct maker *);

#endif
