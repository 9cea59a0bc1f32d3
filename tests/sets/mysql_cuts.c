/* SPDX-License-Identifier: MIT */
/*
 * Compares where files are cut into statements with where the program mysql does: mysql_cuts CLIENT FILE...
 * CLIENT is a shell command that reads a file and prints each statement as it sends it: mysql --verbose
 * --force --comments. What it prints may have other blanks, and comments around; a file that we refuse is
 * compared up to there. USE is a command of the client, and not printed.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sets/read.h"
#include "support/split_laws.h"

static const char line[] = "--------------\n";

static struct {
	int files, refused, statements, differ;
} tally;

/* What a client has printed; each statement stands between two lines. */
struct printed {
	char *text; /* begins with a line feed */
	const char *at;
};

static struct printed run_client(const char *client, const char *path)
{
	struct printed printed;
	size_t len = strlen(client) + strlen(path) + 20;
	char *command = malloc(len);
	FILE *from;

	snprintf(command, len, "echo; %s <'%s' 2>/dev/null", client, path);
	from = popen(command, "r");
	if (!from)
		exit(1);
	printed.text = read_stream(from, command, &len);
	printed.at = printed.text + 1;
	pclose(from);
	free(command);
	return printed;
}

/* Tells whether there is nothing but comments, which the client sends as well. */
static bool is_comment(const char *text, size_t len)
{
	struct sql_text t = {"mysql", text, len};
	struct gap gap = {.t = &t, .delimiter = ";"};

	return read_gap(&gap, len) == NULL;
}

/* Finds such a line from here on. */
static const char *find_line(const char *from)
{
	while (from && (from = strstr(from, line)) != NULL && from[-1] != '\n')
		from++;
	return from;
}

/* Returns the next statement, or NULL. */
static const char *next(struct printed *printed, size_t *len)
{
	const char *from, *to;

	do {
		from = find_line(printed->at);
		to = from ? find_line(from + sizeof(line) - 1) : NULL;
		if (!to)
			return NULL;
		from += sizeof(line) - 1;
		*len = (size_t)(to - from);
		printed->at = to + sizeof(line) - 1;
	} while (is_comment(from, *len));
	return from;
}

/* Adds the text without its blanks, and without the backslash of one that a line ends with: the client leaves it
 * out. */
static void add_dense(struct dbl_str *to, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!isspace((unsigned char)text[i]) &&
		    (text[i] != '\\' || i + 1 == len || text[i + 1] != '\n'))
			dbl_str_addn(to, text + i, 1);
	}
}

/* Tells whether the client's next statement is this one. Where DELIMITER is not used it cuts the body of a
 * stored program at each semicolon; then ours has to end where one of its ends. */
static bool is_same(const struct dbl_statement *ours, struct printed *printed, struct dbl_str *b)
{
	struct dbl_str a = {0};
	const char *theirs, *found = NULL;
	size_t len;

	add_dense(&a, ours->text, ours->len);
	while (!found && b->len <= a.len && (theirs = next(printed, &len)) != NULL) {
		dbl_str_add(b, b->len ? ";" : "");
		add_dense(b, theirs, len);
		found = strstr(b->text, a.text);
	}
	dbl_str_free(&a);
	return found;
}

static bool is_use(const struct dbl_statement *st)
{
	return st->text && st->len > 4 && strncasecmp(st->text, "use", 3) == 0 &&
	       isspace((unsigned char)st->text[3]);
}

static void differs(const char *path, const struct dbl_statement *ours, const char *theirs)
{
	tally.differ++;
	printf("%s:%zu:%zu: ours\n%.*s\nthe client's, without blanks\n%.300s\n", path, ours->line,
	       ours->col, ours->text ? (int)ours->len : 0, ours->text ? ours->text : "",
	       theirs ? theirs : "");
}

/* Compares the next statement. */
static bool compare_one(const struct dbl_statement *ours, struct printed *printed, const char *path)
{
	const char *before = printed->at;
	struct dbl_str theirs = {0};
	bool same = is_same(ours, printed, &theirs);

	tally.statements++;
	if (!same && is_use(ours)) {
		printed->at = before;
		same = true;
	}
	if (!same)
		differs(path, ours, theirs.text);
	dbl_str_free(&theirs);
	return same;
}

static void compare(const char *client, const char *path, const struct sql_text *t)
{
	struct printed printed = run_client(client, path);
	struct dbl_statement ours = {0};
	struct dblock_error err;
	struct dbl_split s;
	int rc = begin_split(&s, t, &err);
	const char *theirs;
	bool same = true;
	size_t len;

	while (same && rc == 0 && (rc = dbl_split_next(&s, &ours, &err)) == 0 && ours.text)
		same = compare_one(&ours, &printed, path);
	if (same && rc == 0 && (theirs = next(&printed, &len)) != NULL)
		differs(path, &ours, theirs);
	if (rc && ++tally.refused)
		printf("refused: %s: %s\n", path, err.message);
	free(printed.text);
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		struct sql_text t = {.dialect = "mysql"};
		char *text = read_file(argv[i], &t.len);

		t.text = text;
		compare(argv[1], argv[i], &t);
		free(text);
		tally.files++;
	}
	printf("mysql: %d files (%d refused), %d statements, %d differ\n", tally.files,
	       tally.refused, tally.statements, tally.differ);
	return tally.differ || tally.files == 0;
}
