/* SPDX-License-Identifier: MIT */
/* What every command of the program shares: the global options, how it speaks, how it opens. */
#ifndef DBL_CLI_CLI_H
#define DBL_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include <dblock/dblock.h>

#include "cli/ui/args.h"
#include "cli/ui/exits.h"

struct dbl_cli;

/* What a command wants of the database: nothing, or what it has to itself; a client, which is
 * opened before it runs and closed after; one that only looks, for which the right to read is
 * enough. */
enum dbl_command_client { DBL_CLIENT_NONE, DBL_CLIENT_OPEN, DBL_CLIENT_LOOK };

/* A command: parsed, explained and run by what stands here. */
struct dbl_command {
	const char *name;           /* one word */
	const char *usage;          /* what follows the name, for people */
	const char *summary;        /* one line */
	const char *about;          /* the rest of the help; NULL: the summary */
	const struct dbl_arg *args; /* its own options */
	/* Options that it shares with others, not being of a group; into the same struct. */
	const struct dbl_arg *shared_args;
	struct dbl_operands operands;
	/* A struct of its options, of at most DBL_OPTIONS_SIZE, as they are when not given. NULL:
	 * zeros, and no size. */
	const void *defaults;
	size_t size;
	enum dbl_command_client client;
	/* Do its options and words go together? Returns an exit code, having said what is wrong.
	 * NULL: there is nothing to check. */
	int (*check)(const struct dbl_cli *);
	int (*run)(struct dbl_cli *); /* returns an exit code */
	/* A group: its commands, NULL at the end. They share the struct of options; the group's own
	 * come before the command's name, or after it. */
	const struct dbl_command *const *commands;
	bool exits_of_migrate; /* of a group: its commands have small exit codes of their own */
};

enum { DBL_OPTIONS_SIZE = 1024 };

struct dbl_cli {
	const struct dbl_command *const *commands; /* all, ends with NULL */
	const struct dbl_command *command;         /* the one that runs; NULL before it is known */
	const struct dbl_command *group;           /* that it is one of; or NULL */
	const void *options;                       /* the command's struct of them */
	struct dbl_words words;
	int64_t token;                /* the operand TOKEN of a command that has one */
	struct dblock_client *client; /* of a command that wants one */
	struct dblock_error err;      /* of the last call with it */
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

const struct dbl_command *dbl_command_find(const struct dbl_command *const *commands,
					   const char *name);

/* A command's name, of one of a group with the group's: "migrate up". group, command: or NULL. */
enum { DBL_COMMAND_NAME = 48 };
void dbl_command_name(const struct dbl_command *group, const struct dbl_command *command,
		      char name[DBL_COMMAND_NAME]);

#define DBL_CLI_PRINTF __attribute__((format(printf, 2, 3)))

/* "dblock: run: ..." on stderr. */
void dbl_cli_error(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The same, but not with -q. */
void dbl_cli_note(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The same, with a hint where help is; returns DBL_EXIT_USAGE, or what the command has for it. */
int dbl_cli_usage(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The exit code for an outcome of the library, by the command's own count. */
int dbl_cli_exit(const struct dbl_cli *, int rc);

/* A call on the library ended with rc: say so unless that is DBLOCK_OK (an expected outcome is a
 * note), and return the exit code for it. */
int dbl_cli_ended(const struct dbl_cli *, int rc, const struct dblock_error *);

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

/* Open the client that the command wants. Returns an exit code, having said what is wrong. */
int dbl_cli_open(struct dbl_cli *);

/* Open one with such options, but return an outcome, of which nothing is said. That there is a URL
 * has been asked before. */
int dbl_cli_try_open(const struct dbl_cli *, const struct dblock_client_options *,
		     struct dblock_client **, struct dblock_error *);

/* It could not be opened: say so, and where the URL is from. An exit code. */
int dbl_cli_not_opened(const struct dbl_cli *, int rc, const struct dblock_error *);

/* ---- settings.c, help.c ---------------------------------------------------------------------- */

/* Fill what neither an option nor the environment has said: url, schema, prefix. An exit code: a
 * line that is wrong, or a password that others can read, is told with its place. What is filled
 * lives as long as the process. */
int dbl_settings_read(struct dbl_cli *);

void dbl_help_all(const struct dbl_cli *);

/* group: that it is one of; or NULL. */
void dbl_help_command(const struct dbl_command *group, const struct dbl_command *);

/* ---- all commands: cmd_*.c ------------------------------------------------------------------- */

extern const struct dbl_command dbl_command_run;
extern const struct dbl_command dbl_command_elect;
extern const struct dbl_command dbl_command_acquire;
extern const struct dbl_command dbl_command_renew;
extern const struct dbl_command dbl_command_release;
extern const struct dbl_command dbl_command_leader;
extern const struct dbl_command dbl_command_ls;
extern const struct dbl_command dbl_command_show;
extern const struct dbl_command dbl_command_graph;
extern const struct dbl_command dbl_command_request;
extern const struct dbl_command dbl_command_drain;
extern const struct dbl_command dbl_command_break;
extern const struct dbl_command dbl_command_reap;
extern const struct dbl_command dbl_command_doctor;
extern const struct dbl_command dbl_command_version;
extern const struct dbl_command dbl_command_help;
extern const struct dbl_command dbl_command_migrate;
extern const struct dbl_command dbl_command_schema;

#endif
