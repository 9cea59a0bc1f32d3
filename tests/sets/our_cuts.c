/* SPDX-License-Identifier: MIT */
/*
 * Cuts files as migrations are cut: our_cuts DIALECT FILE...
 * For each file a line "file NAME", for each statement one with its first byte and the one behind its last;
 * "error MESSAGE" where the file is refused.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "migrate/parse/split.h"
#include "sets/read.h"

static void cut(const char *dialect, const char *path, const char *text, size_t len)
{
	struct dbl_statement st;
	struct dblock_error err;
	struct dbl_split s;
	struct dbl_text text_of = {(char *)(uintptr_t)text, len, 0};
	int rc = dbl_split_begin(&s, dialect, path, &text_of, &err);

	printf("file %s\n", path);
	while (rc == 0 && (rc = dbl_split_next(&s, &st, &err)) == 0 && st.text)
		printf("%zu %zu\n", st.offset, st.offset + st.len);
	if (rc)
		printf("error %s\n", err.message);
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		size_t len;
		char *text = read_file(argv[i], &len);

		cut(argv[1], argv[i], text, len);
		free(text);
	}
	return 0;
}
