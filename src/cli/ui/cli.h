/* SPDX-License-Identifier: MIT */
/* What every command of the program shares: the global options, how it speaks, how it opens. */
#ifndef DBL_CLI_CLI_H
#define DBL_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include <dblock/dblock.h>

#include "cli/ui/args.h"

struct dbl_cli;

/* A command: parsed, explained and run by what stands here. */
struct dbl_command {
	const char *name;           /* of one of a group: with the group's, "migrate up" */
	const char *usage;          /* what follows the name, for people */
	const char *summary;        /* one line */
	const char *about;          /* the rest of the help */
	const struct dbl_arg *args; /* its own options */
	/* Options that it shares with others, not being of a group; into the same struct. */
	const struct dbl_arg *shared_args;
	struct dbl_operands operands;
	const void *defaults; /* a struct of its options, as they are when not given */
	size_t size;          /* of that struct, at most DBL_OPTIONS_SIZE */
	int (*run)(struct dbl_cli *, const void *options, const struct dbl_words *);
	/* A group: its commands, NULL at the end. They share the struct of options; the group's own
	 * come before the command's name, or after it. */
	const struct dbl_command *const *commands;
	int (*exit_for)(int outcome); /* NULL: dbl_exit_for(); of a group, for all in it */
};

enum { DBL_OPTIONS_SIZE = 1024 };

struct dbl_cli {
	const struct dbl_command *const *commands; /* all, ends with NULL */
	const struct dbl_command *command;         /* the one that runs; NULL before it is known */
	const struct dbl_command *group;           /* that it is one of; or NULL */
	const char *url;
	char *url_from; /* NULL: this very command line, or nowhere */
	const char *prefix;
	const char *schema;
	const char *durability; /* NULL: the default */
	int64_t timeout_ms;
	bool json;
	bool quiet;
	bool auto_migrate;
	bool terminal; /* somebody types, or reads what is said */
	bool help;
	bool version;
};

/* The global options: accepted before a command and among its own. */
extern const struct dbl_arg dbl_global_args[];

/* By the last word of its name. */
const struct dbl_command *dbl_command_find(const struct dbl_command *const *commands,
					   const char *name);

/* The last word of its name. */
const char *dbl_command_word(const struct dbl_command *);

#define DBL_CLI_PRINTF __attribute__((format(printf, 2, 3)))

/* "dblock: run: ..." on stderr. */
void dbl_cli_error(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The same, but not with -q. */
void dbl_cli_note(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The same, with a hint where help is; returns DBL_EXIT_USAGE, or what the command has for it. */
int dbl_cli_usage(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The exit code for an outcome of the library, by the command's own count. */
int dbl_cli_exit(const struct dbl_cli *, int rc);

/* A call on the library ended with rc != DBLOCK_OK: say so (an expected outcome is a note), and
 * return the exit code for it. */
int dbl_cli_failed(const struct dbl_cli *, int rc, const struct dblock_error *);

/* The database's URL: -u, else $DBLOCK_URL, else a settings file's, else a file in the current
 * folder. */
const char *dbl_cli_url(const struct dbl_cli *);

/* Before a database is used: has anybody said which? Without a terminal somebody must; an exit
 * code. */
int dbl_cli_need_url(const struct dbl_cli *);

/* Is what the global options say of use? DBL_EXIT_OK, or it has said what is not. */
int dbl_cli_check(struct dbl_cli *);

/* The options of dblock_open() that the global options give. */
struct dblock_client_options dbl_cli_options(const struct dbl_cli *);

/* Open a client; ttl_ms 0: the default. Returns an exit code, having said what is wrong. */
int dbl_cli_open(const struct dbl_cli *, int64_t ttl_ms, struct dblock_client **);

/* The same, for who only looks: the right to read is enough. */
int dbl_cli_open_to_look(const struct dbl_cli *, struct dblock_client **);

/* Likewise, but returns an outcome, of which it says nothing; whether there is a URL has been asked
 * before.
 * app: our name for others; NULL: the default. */
int dbl_cli_try_open(const struct dbl_cli *, int64_t ttl_ms, const char *app,
		     struct dblock_client **, struct dblock_error *);

/* It could not be opened: say so, and where the URL is from. An exit code. */
int dbl_cli_not_opened(const struct dbl_cli *, int rc, const struct dblock_error *);

/* A token, as a person typed it: a positive decimal number. Else says so: DBL_EXIT_USAGE. */
int dbl_cli_token(const struct dbl_cli *, const char *text, int64_t *token);

#endif
