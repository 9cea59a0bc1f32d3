/* SPDX-License-Identifier: MIT */
/* Shows the place in a file that a message is about. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/call.h"
#include "cli/ui/print.h"

enum { AROUND = 2, WIDTH = 160, TAB = 4 };

struct place {
	char *path;
	size_t line, column;
};

/* Read "FILE:LINE:COLUMN: ", where FILE may have colons, too. The path has to be freed. */
static bool read_place(struct place *place, const char *what)
{
	for (const char *at = what; (at = strchr(at, ':')) != NULL; at++) {
		int end = 0;

		if (sscanf(at, ":%zu:%zu:%n", &place->line, &place->column, &end) < 2 || !end)
			continue;
		place->path = strndup(what, (size_t)(at - what));
		return place->path != NULL;
	}
	return false;
}

/* Copy the line for a terminal. Returns how many characters stand before the column; -1: it is not shown. */
static int copy_line(char shown[WIDTH + TAB + 1], const char *line, size_t column)
{
	size_t n = 0, chars = 0;
	int width = 0, before = -1;

	for (; *line && !strchr("\r\n", *line) && n < WIDTH; line++) {
		bool begins = (*line & 0xC0) != 0x80;

		if (begins && ++chars == column)
			before = width;
		if (*line == '\t') {
			memset(shown + n, ' ', TAB);
			n += TAB;
			width += TAB;
			continue;
		}
		shown[n++] = *line;
		width += begins;
	}
	shown[n] = '\0';
	return before;
}

static void print_line(size_t number, const char *line, size_t column)
{
	char shown[WIDTH + TAB + 1];
	int before = copy_line(shown, line, column);
	char *safe = dbl_text_safe(shown);

	fprintf(stderr, "%6zu | %s\n", number, safe ? safe : "");
	if (before >= 0)
		fprintf(stderr, "       | %*s^\n", before, "");
	free(safe);
}

/* Print the line of the place and those around it. False: the file has no such line. */
static bool print_lines(FILE *file, const struct place *place)
{
	char *line = NULL;
	size_t room = 0, number = 0;

	while (number < place->line + AROUND && getline(&line, &room, file) >= 0) {
		if (++number + AROUND >= place->line)
			print_line(number, line, number == place->line ? place->column : 0);
	}
	free(line);
	return number > 0 && number >= place->line;
}

bool dbl_migrate_excerpt(const char *what)
{
	struct place place = {0};
	FILE *file = read_place(&place, what) ? fopen(place.path, "re") : NULL;
	bool shown = file && print_lines(file, &place);

	if (file)
		fclose(file);
	free(place.path);
	return shown;
}
