/* SPDX-License-Identifier: MIT */
/* Reads an unfinished command line by the tables that the parser has. */
#include <string.h>

#include "cli/complete/complete.h"

void dbl_line_tables(const struct dbl_line *line, const struct dbl_arg *tables[DBL_ARG_SETS])
{
	const struct dbl_command *command = line->command;

	tables[0] = command ? command->args : NULL;
	tables[1] = line->group ? line->group->args : command ? command->shared_args : NULL;
	tables[2] = dbl_global_args;
}

const struct dbl_arg *dbl_line_option(const struct dbl_line *line, const char *name, size_t len)
{
	const struct dbl_arg *tables[DBL_ARG_SETS], *begins = NULL;

	dbl_line_tables(line, tables);
	for (int i = 0; i < DBL_ARG_SETS; i++)
		for (const struct dbl_arg *arg = tables[i]; arg && arg->name; arg++) {
			if (strncmp(arg->name, name, len) != 0)
				continue;
			if (!arg->name[len])
				return arg;
			begins = begins ? begins : arg;
		}
	return begins;
}

static const struct dbl_arg *by_letter(const struct dbl_line *line, char letter)
{
	const struct dbl_arg *tables[DBL_ARG_SETS];

	dbl_line_tables(line, tables);
	for (int i = 0; i < DBL_ARG_SETS; i++)
		for (const struct dbl_arg *arg = tables[i]; arg && arg->name; arg++)
			if (arg->letter == letter)
				return arg;
	return NULL;
}

/* The options that say which database it is hold for whom we ask, too. */
static void take_value(struct dbl_line *line, const struct dbl_arg *arg, const char *value)
{
	for (const struct dbl_arg *global = dbl_global_args; global->name; global++)
		if (arg == global && arg->kind == DBL_ARG_TEXT)
			*(const char **)(void *)((char *)line->cli + arg->offset) = value;
		else if (arg == global && arg->kind == DBL_ARG_TEXTS && line->urls.n < DBL_URLS_MAX)
			line->urls.text[line->urls.n++] = value;
}

/* arg: or NULL; value: what stands in the same word; or NULL. */
static void take_option(struct dbl_line *line, const struct dbl_arg *arg, const char *value)
{
	if (!arg || arg->kind == DBL_ARG_FLAG)
		return;
	if (value)
		take_value(line, arg, value);
	else if (dbl_arg_wants_word(arg))
		line->pending = arg;
}

static void read_long(struct dbl_line *line, const char *name)
{
	size_t len = strcspn(name, "=");

	take_option(line, dbl_line_option(line, name, len), name[len] ? name + len + 1 : NULL);
}

static void read_letters(struct dbl_line *line, const char *letters)
{
	const struct dbl_arg *arg = by_letter(line, *letters);

	while (arg && arg->kind == DBL_ARG_FLAG && *++letters)
		arg = by_letter(line, *letters);
	take_option(line, arg, arg && *letters && letters[1] ? letters + 1 : NULL);
}

static void read_command(struct dbl_line *line, const char *word)
{
	const struct dbl_command *const *of =
		line->command ? line->command->commands : line->cli->commands;

	line->group = line->command;
	line->command = dbl_command_find(of, word);
	line->lost = !line->command;
	line->ended = false; /* its own line begins */
}

static bool wants_command(const struct dbl_line *line)
{
	return !line->command || line->command->commands;
}

/* Is the next operand another program's name? */
static bool wants_foreign(const struct dbl_line *line)
{
	const struct dbl_operands *operands;

	if (wants_command(line))
		return false;
	operands = &line->command->operands;
	return line->operands + 1 == operands->verbatim_from &&
	       strcmp(operands->names[line->operands], "CMD") == 0;
}

static void read_operand(struct dbl_line *line, const char *word, int at)
{
	if (wants_command(line)) {
		read_command(line, word);
		return;
	}
	if (wants_foreign(line)) {
		line->verbatim = at;
		line->ended = true;
	}
	if (line->operands == 0)
		line->first = word;
	line->operands++;
	line->former = word;
}

static void read_word(struct dbl_line *line, const char *word, int at)
{
	if (line->pending) {
		take_value(line, line->pending, word);
		line->pending = NULL;
	} else if (strcmp(word, "--") == 0 && (!line->ended || wants_foreign(line))) {
		line->ended = true; /* run -- NAME -- CMD: the second one is not the command */
	} else if (!line->ended && strncmp(word, "--", 2) == 0) {
		read_long(line, word + 2);
	} else if (!line->ended && word[0] == '-' && word[1]) {
		read_letters(line, word + 1);
	} else {
		read_operand(line, word, at);
	}
}

void dbl_line_read(struct dbl_line *line, struct dbl_cli *cli, char **word, int count)
{
	*line = (struct dbl_line){.cli = cli};
	for (int i = 1; i < count - 1 && !line->lost && !line->verbatim; i++)
		read_word(line, word[i], i);
	/* What comes first of another command may be what is being typed. */
	if (!line->lost && !line->verbatim && wants_foreign(line))
		line->verbatim = count - 1;
	if (line->urls.n) {
		cli->urls = line->urls;
		(void)dbl_cli_join_urls(cli);
	}
}
