/* SPDX-License-Identifier: MIT */
/* dbmate: NNNN_name.sql, with `-- migrate:up` and `-- migrate:down`. Source: dbmate 2.35,
 * pkg/dbmate/migration.go. */
#include <ctype.h>
#include <string.h>

#include "cli/migrate/import/formats.h"

enum way { NONE, UP, DOWN };

struct dbmate {
	struct dbl_import *im;
	const char *path;
	struct dbl_text texts[3];
	enum way way;
};

static void wrong(const struct dbmate *d, int line, const char *what)
{
	dbl_import_tell(d->im, DBL_IMPORT_WRONG, d->path, line, "%s", what);
}

static size_t blanks(const char *at, const char *end)
{
	size_t n = 0;

	while (at + n < end && isspace((unsigned char)at[n]))
		n++;
	return n;
}

/* Whether it is `-- migrate:up` or `-- migrate:down`; what stands behind that goes to rest. */
static enum way command_in(const struct dbl_line *line, const char **rest, const char **end)
{
	size_t len;
	const char *at = dbl_line_trim(line, &len);
	enum way way = NONE;

	*end = at + len;
	if (at != line->text || !dbl_line_is_comment(line))
		return NONE;
	at += 2;
	at += blanks(at, *end);
	if (*end - at >= 10 && memcmp(at, "migrate:up", 10) == 0)
		way = UP;
	else if (*end - at >= 12 && memcmp(at, "migrate:down", 12) == 0)
		way = DOWN;
	at += way == UP ? 10 : 12;
	if (way == NONE || (at < *end && !isspace((unsigned char)*at)))
		return NONE;
	*rest = at;
	return way;
}

static bool is(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && memcmp(word, text, len) == 0;
}

static void read_options(struct dbmate *d, const char *at, const char *end, int line)
{
	while ((at += blanks(at, end)) < end) {
		size_t len = 0;

		while (at + len < end && !isspace((unsigned char)at[len]))
			len++;
		if (is(at, len, "transaction:false"))
			d->texts[d->way].no_transaction = true;
		else if (!is(at, len, "transaction:true"))
			dbl_import_tell(d->im, DBL_IMPORT_WRONG, d->path, line,
					"'%.*s' is no option that dbmate has; there is "
					"transaction:false",
					(int)(len < 60 ? len : 60), at);
		at += len;
	}
}

static void begin_way(struct dbmate *d, enum way way, int line)
{
	if (way == UP && d->way != NONE)
		wrong(d, line, "a second '-- migrate:up'; make it a file of its own");
	else if (way == DOWN && d->way == NONE)
		wrong(d, line, "'-- migrate:down' comes before '-- migrate:up'; put that first");
	else if (way == DOWN && d->way == DOWN)
		wrong(d, line, "a second '-- migrate:down'; make the two one");
	d->way = way;
}

static void take(struct dbmate *d, const struct dbl_line *line)
{
	if (d->way == NONE && !dbl_line_is_blank(line) && !dbl_line_is_comment(line)) {
		wrong(d, line->number,
		      "a statement before '-- migrate:up'; write that line above it");
		d->way = UP; /* once is enough */
	}
	if (d->way != NONE || !dbl_line_is_blank(line))
		dbl_text_line(d->im, &d->texts[d->way == DOWN ? DOWN : UP], line);
}

static void read_file(struct dbl_import *im, const struct dbl_entry *entry, struct dbl_record *to)
{
	struct dbmate d = {.im = im, .path = entry->path};
	struct dbl_line line = {0};
	const char *rest = NULL, *end;

	while (dbl_line_next(entry, &line)) {
		enum way way = command_in(&line, &rest, &end);

		if (way == NONE) {
			take(&d, &line);
			continue;
		}
		begin_way(&d, way, line.number);
		read_options(&d, rest, end, line.number);
	}
	if (d.way == NONE)
		wrong(&d, 1,
		      "there is no '-- migrate:up' in it; write that line above what applies it");
	to->up = dbl_text_part(im, &d.texts[UP], entry->path);
	to->up.path = entry->path; /* even if there is nothing in it */
	to->down = dbl_text_part(im, &d.texts[DOWN], entry->path);
}

bool dbl_dbmate_is(struct dbl_import *im)
{
	return dbl_folder_has_mark(im, "migrate:up") || dbl_folder_has_mark(im, "migrate:down");
}

void dbl_dbmate_read(struct dbl_import *im)
{
	dbl_numbered_read(im, read_file);
}
