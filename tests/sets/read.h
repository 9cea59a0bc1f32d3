/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SETS_READ_H
#define TESTS_SETS_READ_H

#include <stdio.h>
#include <stdlib.h>

/* Reads all of a stream, and puts a NUL behind it; the caller frees it. Who cannot ends the program. */
static inline char *read_stream(FILE *from, const char *name, size_t *len)
{
	char *text = NULL;
	size_t room = 0;

	*len = 0;
	do {
		room = 2 * room + 65536;
		text = realloc(text, room);
		if (from && text)
			*len += fread(text + *len, 1, room - 1 - *len, from);
	} while (from && text && *len == room - 1);
	if (!from || !text || ferror(from)) {
		perror(name);
		exit(1);
	}
	text[*len] = '\0';
	return text;
}

static inline char *read_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *text = read_stream(file, path, len);

	fclose(file);
	return text;
}

#endif
