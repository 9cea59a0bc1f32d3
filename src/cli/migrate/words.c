/* SPDX-License-Identifier: MIT */
/* The message of a failure has lines: what failed, the statement, the state, what to do next. This
 * tells them apart, and extends the commands in them by the options of this call. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/call.h"
#include "cli/ui/print.h"

/* ---- commands as a person has to type them -------------------------------------------------- */

static void put_option(FILE *out, const char *option, const char *value)
{
	if (!value)
		return;
	fprintf(out, " %s ", option);
	dbl_text_put_word(out, value);
}

/* Put the options that make a command use the same files and the same tables. */
static void put_options(FILE *out, const struct dbl_migrate_call *call)
{
	put_option(out, "--dir", call->args->which.dir);
	put_option(out, "--scope", call->args->which.scope);
	put_option(out, "--prefix", call->cli->prefix);
	put_option(out, "--schema", call->cli->schema);
}

/* Put a command, from its quote on, with what makes it about this call's files. */
static void put_command(FILE *out, const struct dbl_migrate_call *call, const char *command,
			size_t len)
{
	static const char import[] = "'dblock migrate import DIR";
	size_t n = sizeof(import) - 1;

	if (strncmp(command, import, n) != 0) {
		fwrite(command, 1, len, out);
		put_options(out, call);
		return;
	}
	fwrite(command, 1, n - strlen("DIR"), out);
	dbl_text_put_word(out, call->dir ? call->dir : "DIR");
	fwrite(command + n, 1, len - n, out);
}

/* The first command in the text; NULL: there is none. */
static const char *find_command(const char *text)
{
	while ((text = strstr(text, "'dblock ")) != NULL &&
	       strncmp(text, "'dblock migrate ", 16) != 0 &&
	       strncmp(text, "'dblock schema ", 15) != 0)
		text++;
	return text;
}

char *dbl_migrate_exact(const struct dbl_migrate_call *call, const char *text)
{
	char *exact = NULL;
	size_t size;
	FILE *out = open_memstream(&exact, &size);
	const char *at, *end;

	if (!out)
		return NULL;
	while ((at = find_command(text)) != NULL && (end = strchr(at + 1, '\'')) != NULL) {
		fwrite(text, 1, (size_t)(at - text), out);
		put_command(out, call, at, (size_t)(end - at));
		fputc('\'', out);
		text = end + 1;
	}
	fputs(text, out);
	fclose(out);
	return exact;
}

/* ---- the parts ------------------------------------------------------------------------------ */

enum { STATEMENT, SAID, STATE, NEXT, MORE, PARTS };

static const char *const heads[] = {[STATEMENT] = "  ",
				    [SAID] = "said:  ",
				    [STATE] = "state: ",
				    [NEXT] = "next:  ",
				    [MORE] = "       "};

/* The last head that fits, as more of a part begins with the most blanks. */
static int part_of(const char *line)
{
	for (int i = PARTS - 1; i >= 0; i--) {
		if (strncmp(line, heads[i], strlen(heads[i])) == 0)
			return i;
	}
	return PARTS;
}

static void add(struct dbl_migrate_words *words, char *line)
{
	int part = part_of(line);

	if (part == STATEMENT && !words->statement)
		words->statement = line + strlen(heads[part]);
	else if (part == SAID && words->n_said < DBL_MIGRATE_SAID)
		words->said[words->n_said++] = line + strlen(heads[part]);
	else if (part == STATE)
		words->state = line + strlen(heads[part]);
	else if (part == NEXT || part == MORE)
		words->next[words->n_next++] = line + strlen(heads[part]);
}

void dbl_migrate_words_read(struct dbl_migrate_words *words, const struct dbl_migrate_call *call,
			    const char *message)
{
	char *line, *rest;

	*words = (struct dbl_migrate_words){.text = dbl_migrate_exact(call, message)};
	if (!words->text)
		return;
	words->what = strtok_r(words->text, "\n", &rest);
	while ((line = strtok_r(NULL, "\n", &rest)) && words->n_next < DBL_MIGRATE_NEXT)
		add(words, line);
}

void dbl_migrate_words_free(struct dbl_migrate_words *words)
{
	free(words->text);
}

/* ---- for people ----------------------------------------------------------------------------- */

static void print_line(const char *head, const char *text)
{
	char *safe = text ? dbl_text_safe(text) : NULL;

	if (safe)
		fprintf(stderr, "%s%s\n", head, safe);
	free(safe);
}

void dbl_migrate_words_print(const struct dbl_migrate_words *words, bool terminal)
{
	print_line("error: ", words->what);
	if (!terminal || !words->statement || !dbl_migrate_excerpt(words->what))
		print_line(heads[STATEMENT], words->statement);
	for (int i = 0; i < words->n_said; i++)
		print_line(i ? heads[MORE] : heads[SAID], words->said[i]);
	print_line(heads[STATE], words->state);
	for (int i = 0; i < words->n_next; i++)
		print_line(heads[i ? MORE : NEXT], words->next[i]);
}
