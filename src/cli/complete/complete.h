/* SPDX-License-Identifier: MIT */
/* What could stand at the cursor of a command line of ours, for a shell that asks. */
#ifndef DBL_CLI_COMPLETE_H
#define DBL_CLI_COMPLETE_H

#include <stdbool.h>

#include "cli/ui/cli.h"

/* A command line, up to the word at the cursor, as the parser would read it. */
struct dbl_line {
	struct dbl_cli *cli;             /* the program's; its database is the line's */
	const struct dbl_command *group; /* the group that the command is in; or NULL */
	const struct dbl_command
		*command;              /* the command, or its group before it is known; or NULL */
	const struct dbl_arg *pending; /* the option whose value is next; or NULL */
	struct dbl_texts urls;         /* whose values were there */
	const char *former;            /* the operand before the word at the cursor; or NULL */
	const char *first;             /* the first operand; or NULL */
	int operands;                  /* so many of the command's were there */
	int verbatim;                  /* the index of the first word that is not ours; or 0 */
	bool ended;                    /* `--` was there: no options follow */
	bool lost;                     /* there is no such command */
};

/* Read all words but the last; the first is the program's name. */
void dbl_line_read(struct dbl_line *, struct dbl_cli *, char **word, int count);

/* The tables of options that hold at its end; as many as DBL_ARG_SETS, NULL for none. */
void dbl_line_tables(const struct dbl_line *, const struct dbl_arg *tables[DBL_ARG_SETS]);

/* The option of that long name, or of one that begins so; NULL: there is none. */
const struct dbl_arg *dbl_line_option(const struct dbl_line *, const char *name, size_t len);

/* Print what may be the last word. The first line says what it is:
 *   words        each further line is one, and behind a TAB what it means
 *   files, directories   the shell knows which
 *   command N    from word N on (0: the program's name) it is another program's command line */
void dbl_line_print(const struct dbl_line *, const char *word);

/* Names of locks, of topics that have messages, or of the topic's keys that have failed; of pools, or of a pool's
 * members. */
enum dbl_names {
	DBL_NAMES_OF_LOCKS,
	DBL_NAMES_OF_TOPICS,
	DBL_NAMES_OF_KEYS,
	DBL_NAMES_OF_POOLS,
	DBL_NAMES_OF_MEMBERS
};

/* Print those that begin so, as many as are of use, if the database says them soon; of a cluster, if a member does.
 * before: goes in front of each. */
void dbl_names_print(const struct dbl_cli *, enum dbl_names, const char *topic, const char *before,
		     const char *beginning);

/* For each shell the script that asks us; ends with NULLs. Made by cmake/completion.cmake. */
struct dbl_script {
	const char *shell, *text;
};
extern const struct dbl_script dbl_scripts[];

#endif
