/* SPDX-License-Identifier: MIT */
/* Takes any bytes as a file of SQLite: each statement ends where sqlite3_complete() first says that one does. */
#include <sqlite3.h>

#include "support/split_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns how many bytes of a statement, or of its beginning, are one for SQLite; 0: none. */
static size_t complete(char *text)
{
	for (char *semicolon = text; (semicolon = strchr(semicolon, ';')); semicolon++) {
		char behind = semicolon[1];
		bool is;

		semicolon[1] = '\0';
		is = sqlite3_complete(text);
		semicolon[1] = behind;
		if (is)
			return (size_t)(semicolon + 1 - text);
	}
	return 0;
}

static void check(const struct dbl_statement *st)
{
	char *text = malloc(st->len + 2);

	memcpy(text, st->text, st->len);
	memcpy(text + st->len, ";", 2);
	if (complete(text) != st->len + 1) {
		fprintf(stderr, "%zu bytes are one for SQLite, not\n%s\n", complete(text), text);
		abort();
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sql_text t = {"sqlite", (const char *)data, size};
	struct dbl_statement st;
	struct dblock_error err;
	struct dbl_split s;
	int rc = begin_split(&s, &t, &err);

	while (rc == 0 && (rc = dbl_split_next(&s, &st, &err)) == 0 && st.text)
		check(&st);
	return 0;
}
