/* SPDX-License-Identifier: MIT */
/* What could stand at the end of an unfinished command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complete/complete.h"

static bool begins(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static void print_commands(const struct dbl_command *const *commands, const char *word)
{
	puts("words");
	for (const struct dbl_command *const *c = commands; c && *c; c++)
		if (begins((*c)->name, word))
			printf("%s\t%s\n", (*c)->name, (*c)->summary);
}

static void print_options(const struct dbl_line *line, const char *word)
{
	const struct dbl_arg *tables[DBL_ARG_SETS];

	puts("words");
	dbl_line_tables(line, tables);
	for (int i = 0; i < DBL_ARG_SETS; i++)
		for (const struct dbl_arg *arg = tables[i]; arg && arg->name; arg++)
			if (strncmp(word, "--", 2) != 0 || begins(arg->name, word + 2))
				printf("--%s\t%s\n", arg->name, arg->help);
}

/* By their numbers. */
static void print_members(const struct dbl_line *line, const char *word)
{
	char *members[DBL_URLS_MAX], number[24];
	size_t n = dbl_cli_members(line->cli, members);

	puts("words");
	for (size_t i = 0; i < n; i++) {
		snprintf(number, sizeof(number), "%zu", i + 1);
		if (n > 1 && begins(number, word))
			puts(number);
		free(members[i]);
	}
}

/* What a migration calls NAME is something else; and some commands are for one database. */
static bool is_of_locks(const struct dbl_line *line, const char *kind)
{
	const struct dbl_command *command = line->command;

	if (command && command->commands)
		return false;
	if (line->group && strcmp(line->group->name, "pool") != 0)
		return false;
	if (command && command->one_only && dbl_cli_is_cluster(line->cli))
		return false;
	return strcmp(kind, "NAME") == 0 || strcmp(kind, "PATTERN") == 0;
}

/* Only members can be drained, or removed. */
static bool is_of_pool(const struct dbl_line *line, const char *kind)
{
	return strcmp(kind, "NAME") == 0 && line->first && line->group && line->command &&
	       strcmp(line->group->name, "pool") == 0 && line->command->operands.many &&
	       strcmp(line->command->name, "add") != 0;
}

/* Messages and pools are in one database. */
static void print_names(const struct dbl_line *line, const char *kind, const char *before,
			const char *word)
{
	if (is_of_pool(line, kind))
		dbl_names_print(line->cli, DBL_NAMES_OF_MEMBERS, line->first, before, word);
	else if (is_of_locks(line, kind))
		dbl_names_print(line->cli, DBL_NAMES_OF_LOCKS, NULL, before, word);
	else if (dbl_cli_is_cluster(line->cli))
		return;
	else if (strcmp(kind, "TOPIC") == 0)
		dbl_names_print(line->cli, DBL_NAMES_OF_TOPICS, NULL, before, word);
	else if (strcmp(kind, "KEY") == 0)
		dbl_names_print(line->cli, DBL_NAMES_OF_KEYS, line->former, before, word);
	else if (strcmp(kind, "POOL") == 0)
		dbl_names_print(line->cli, DBL_NAMES_OF_POOLS, NULL, before, word);
}

/* kind: as the help calls it. before: what of the word is not the value. */
static void print_kind(const struct dbl_line *line, const char *kind, const char *before,
		       const char *word)
{
	if (strcmp(kind, "FILE") == 0) {
		puts("files");
	} else if (strcmp(kind, "DIR") == 0) {
		puts("directories");
	} else if (strcmp(kind, "MEMBER") == 0) {
		print_members(line, word);
	} else {
		puts("words");
		print_names(line, kind, before, word);
	}
}

/* Of a list with commas the last one is completed. */
static void print_words(const char *words, const char *before, const char *word)
{
	const char *comma = strrchr(word, ',');
	size_t done = comma ? (size_t)(comma + 1 - word) : 0;

	puts("words");
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (strncmp(words, word + done, strlen(word + done)) == 0)
			printf("%s%.*s%.*s\n", before, (int)done, word, (int)n, words);
	}
}

static void print_value(const struct dbl_line *line, const struct dbl_arg *arg, const char *before,
			const char *word)
{
	if (arg && arg->words)
		print_words(arg->words, before, word);
	else if (arg && strcmp(arg->value ? arg->value : "", "PATTERN") == 0)
		puts("words"); /* of hosts: those are not known */
	else
		print_kind(line, arg && arg->value ? arg->value : "", before, word);
}

/* help COMMAND [COMMAND], migrate help COMMAND */
static void print_commands_to_explain(const struct dbl_line *line, const char *word)
{
	const struct dbl_command *const *of =
		line->group ? line->group->commands : line->cli->commands;

	if (line->operands) {
		const struct dbl_command *former = dbl_command_find(of, line->former);

		of = former ? former->commands : NULL;
	}
	print_commands(of, word);
}

static void print_shells(const char *word)
{
	puts("words");
	for (const struct dbl_script *script = dbl_scripts; script->shell; script++)
		if (begins(script->shell, word))
			puts(script->shell);
}

static void print_operand(const struct dbl_line *line, const char *word)
{
	const struct dbl_operands *operands = &line->command->operands;
	const char *kind = NULL;

	for (int i = 0; i <= line->operands && operands->names[i]; i++)
		kind = i == line->operands || operands->many ? operands->names[i] : NULL;
	if (!kind)
		puts("words");
	else if (strcmp(kind, "COMMAND") == 0)
		print_commands_to_explain(line, word);
	else if (strcmp(kind, "SHELL") == 0)
		print_shells(word);
	else
		print_kind(line, kind, "", word);
}

/* --option=va */
static void print_value_in_word(const struct dbl_line *line, const char *word)
{
	const char *value = strchr(word, '=') + 1;
	const struct dbl_arg *arg =
		dbl_line_option(line, word + 2, (size_t)(value - 1 - (word + 2)));
	char before[64];

	snprintf(before, sizeof(before), "%.*s", (int)(value - word), word);
	print_value(line, arg, before, value);
}

void dbl_line_print(const struct dbl_line *line, const char *word)
{
	bool option = !line->ended && word[0] == '-';

	if (line->lost)
		puts("words");
	else if (line->pending)
		print_value(line, line->pending, "", word);
	else if (option && strncmp(word, "--", 2) == 0 && strchr(word, '='))
		print_value_in_word(line, word);
	else if (option)
		print_options(line, word);
	else if (line->verbatim)
		printf("command %d\n", line->verbatim);
	else if (!line->command)
		print_commands(line->cli->commands, word);
	else if (line->command->commands)
		print_commands(line->command->commands, word);
	else
		print_operand(line, word);
}
