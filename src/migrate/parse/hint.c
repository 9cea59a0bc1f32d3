/* SPDX-License-Identifier: MIT */
#include "migrate/parse/hint.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/sqlscan.h"

enum { WORDS_MAX = 400 };

/* Reads the words of a statement, like " ALTER TABLE T ADD COLUMN A ": in capitals, with one blank
 * between two and at each end, without comments and quoted names. */
static void read_words(const char *sql, char words[WORDS_MAX])
{
	size_t n = 1;

	words[0] = ' ';
	for (size_t i = 0; sql[i] && n + 2 < WORDS_MAX;) {
		size_t skip = dbl_sql_skip(sql + i);

		if (skip == 0 && dbl_sql_is_word(sql[i]))
			words[n++] = (char)toupper((unsigned char)sql[i]);
		else if (words[n - 1] != ' ')
			words[n++] = ' ';
		i += skip ? skip : 1;
	}
	if (words[n - 1] != ' ')
		words[n++] = ' ';
	words[n] = '\0';
}

struct rule {
	const char *dialects; /* the first letters of their names */
	const char *begins;   /* the words that the statement begins with */
	const char *has;      /* words that it has somewhere; NULL: any */
	const char *has_not;  /* words that it must not have; may be NULL */
	const char *hint;
};

/* The first rule that fits gives the hint. SQLite locks the whole file anyway, so its rules are
 * only about what takes long. */
static const struct rule rules[] = {
	{"p", " CREATE INDEX ", NULL, " CONCURRENTLY ",
	 "nobody can write to the table until the index is built; CREATE INDEX CONCURRENTLY, in a "
	 "-- no-transaction file of its own, lets them"},
	{"p", " CREATE UNIQUE INDEX ", NULL, " CONCURRENTLY ",
	 "nobody can write to the table until the index is built; CREATE UNIQUE INDEX "
	 "CONCURRENTLY, in a -- no-transaction file of its own, lets them"},
	{"p", " REINDEX ", NULL, " CONCURRENTLY ",
	 "nobody can use the index until it is built anew"},
	{"p", " REFRESH MATERIALIZED ", NULL, " CONCURRENTLY ",
	 "nobody can read the view meanwhile"},
	{"p", " VACUUM FULL ", NULL, NULL, "nobody can use the table until it is written anew"},
	{"p", " CLUSTER ", NULL, NULL, "nobody can use the table until it is written anew"},
	{"p", " ALTER TABLE ", " SET NOT NULL ", NULL,
	 "nobody can use the table while all rows are read; a CHECK (... IS NOT NULL) that was "
	 "added as NOT VALID and then validated spares that"},
	{"p", " ALTER TABLE ", " TYPE ", NULL,
	 "may write the whole table anew, and nobody can use it meanwhile"},
	{"p", " ALTER TABLE ", " ADD CONSTRAINT ", " NOT VALID ",
	 "nobody can write to the table while all rows are read; NOT VALID, and VALIDATE "
	 "CONSTRAINT in a later migration, spare that"},
	{"p", " ALTER TABLE ", " FOREIGN KEY ", " NOT VALID ",
	 "nobody can write to either table while all rows are read; NOT VALID, and VALIDATE "
	 "CONSTRAINT in a later migration, spare that"},
	{"p", " ALTER TABLE ", " VALIDATE CONSTRAINT ", NULL, ""},
	{"p", " ALTER TABLE ", NULL, NULL,
	 "waits for all who use the table, and all others wait behind it: for at most "
	 "--lock-timeout"},
	{"p", " LOCK ", NULL, NULL, "the table stays locked until the file is done"},
	{"m", " ALTER TABLE ", NULL, " ALGORITHM ",
	 "may copy the whole table, and nobody can write to it meanwhile; with ALGORITHM=INSTANT, "
	 "or ALGORITHM=INPLACE, LOCK=NONE, the server refuses where it would"},
	{"m", " CREATE INDEX ", NULL, " ALGORITHM ",
	 "with ALGORITHM=INPLACE LOCK=NONE the server refuses where it would lock the table"},
	{"m", " CREATE FULLTEXT INDEX ", NULL, NULL, "nobody can write to the table meanwhile"},
	{"m", " CREATE SPATIAL INDEX ", NULL, NULL, "nobody can write to the table meanwhile"},
	{"m", " OPTIMIZE ", NULL, NULL, "writes the whole table anew"},
	{"m", " RENAME TABLE ", NULL, NULL, "waits for all who use the table"},
	{"pm", " DROP TABLE ", NULL, NULL, "waits for all who use the table"},
	{"pm", " TRUNCATE ", NULL, NULL, "waits for all who use the table"},
	{"s", " VACUUM ", NULL, NULL, "writes the whole file anew, and needs as much room again"},
	{"s", " CREATE INDEX ", NULL, NULL,
	 "nobody can write to the database until the index is built"},
	{"s", " CREATE UNIQUE INDEX ", NULL, NULL,
	 "nobody can write to the database until the index is built"},
	{"s", " REINDEX ", NULL, NULL, "nobody can write to the database until it is built"},
	{"pms", " UPDATE ", NULL, " WHERE ",
	 "writes every row in one go: do it in parts if the table is large"},
	{"pm", " DELETE FROM ", NULL, " WHERE ",
	 "writes every row in one go: do it in parts if the table is large"},
};

static bool fits(const struct rule *rule, const char *words)
{
	return strncmp(words, rule->begins, strlen(rule->begins)) == 0 &&
	       (!rule->has || strstr(words, rule->has)) &&
	       (!rule->has_not || !strstr(words, rule->has_not));
}

const char *dbl_hint(const char *dialect, const char *sql)
{
	char words[WORDS_MAX];

	read_words(sql, words);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (strchr(rules[i].dialects, dialect[0]) && fits(&rules[i], words))
			return rules[i].hint;
	}
	return "";
}
