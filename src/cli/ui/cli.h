/* SPDX-License-Identifier: MIT */
/* What all commands share: the global options, messages, opening a client. */
#ifndef DBL_CLI_CLI_H
#define DBL_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <dblock/dblock.h>
#include <jansson.h>

#include "cli/ui/args.h"
#include "cli/ui/exits.h"

struct dbl_cli;

/* What a command needs of the database: nothing, or it opens it by itself; a client, opened before
 * it runs and closed after; a client that only looks, which needs only the right to read. */
enum dbl_command_client { DBL_CLIENT_NONE, DBL_CLIENT_OPEN, DBL_CLIENT_LOOK };

/* A word that other programs have for a command, and what it is here. */
struct dbl_elsewhere {
	const char *word, *here;
};

/* A command, as it is parsed, explained and run. */
struct dbl_command {
	const char *name;           /* one word */
	const char *usage;          /* what follows the name in the help */
	const char *summary;        /* one line */
	const char *about;          /* the rest of the help; NULL: the summary */
	const struct dbl_arg *args; /* its own options */
	/* Options that it shares with others outside of a group; they fill the same struct. */
	const struct dbl_arg *shared_args;
	struct dbl_operands operands;
	/* A struct of its options, of at most DBL_OPTIONS_SIZE, with the defaults. NULL: zeros, no
	 * size. */
	const void *defaults;
	size_t size;
	enum dbl_command_client client;
	/* Do its options and words go together? Returns an exit code, having said what is wrong.
	 * NULL: there is nothing to check. */
	int (*check)(const struct dbl_cli *);
	int (*run)(struct dbl_cli *); /* returns an exit code */
	/* The same in its place, where several URLs are given; it opens them by itself. NULL: it is for
	 * one database, or opens a client of all. */
	int (*run_members)(struct dbl_cli *);
	/* Several URLs are refused, and this is said of what to do; NULL: they are not. Of a group: for its
	 * commands. */
	const char *one_only;
	/* A group: its commands, NULL at the end. They share the struct of options; the group's own
	 * options come before or after the command's name. */
	const struct dbl_command *const *commands;
	const struct dbl_elsewhere *elsewhere; /* for a group: ends with zeros; NULL: none */
	bool exits_of_migrate; /* for a group: its commands have small exit codes of their own */
};

enum { DBL_OPTIONS_SIZE = 2048 };

struct dbl_cli {
	const struct dbl_command *const *commands; /* all, ends with NULL */
	const struct dbl_command *command;         /* the one that runs; NULL before it is known */
	const struct dbl_command *group;           /* the group that it is in; or NULL */
	const void *options;                       /* the command's struct of options */
	struct dbl_words words;
	int64_t token;                /* the operand TOKEN of a command that has one */
	struct dblock_client *client; /* if the command wants one */
	bool closing;                 /* it still is, in a thread: close.c */
	struct dblock_error err;      /* the error of its last call */
	struct dbl_texts urls;        /* of this command line; several: of a cluster's members */
	const char *url;              /* theirs, with blanks in between */
	char *url_from;               /* NULL: this command line, or nowhere */
	const char *prefix;
	const char *schema;
	const char *durability; /* NULL: the default */
	int64_t timeout_ms;
	bool json;
	bool quiet;
	bool auto_migrate;
	bool terminal; /* a person types, or reads the messages */
	bool help;
	bool version;
};

/* The global options: accepted before a command and among its own. */
extern const struct dbl_arg dbl_global_args[];

const struct dbl_command *dbl_command_find(const struct dbl_command *const *commands,
					   const char *name);

/* The command's name, after its group's if it has one: "migrate up". group, command: or NULL. */
enum { DBL_COMMAND_NAME = 48 };
void dbl_command_name(const struct dbl_command *group, const struct dbl_command *command,
		      char name[DBL_COMMAND_NAME]);

#define DBL_CLI_PRINTF __attribute__((format(printf, 2, 3)))

/* Print "dblock: run: ..." on stderr. */
void dbl_cli_error(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The same, but not with -q. */
void dbl_cli_note(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The same, and where help is; returns DBL_EXIT_USAGE, or the command's own code for that. */
int dbl_cli_usage(const struct dbl_cli *, const char *fmt, ...) DBL_CLI_PRINTF;

/* The exit code for an outcome of the library, in the command's own numbers. */
int dbl_cli_exit(const struct dbl_cli *, int rc);

/* A call of the library ended with rc: tell so unless it is DBLOCK_OK (an expected outcome is a
 * note), and return the exit code for it. */
int dbl_cli_ended(const struct dbl_cli *, int rc, const struct dblock_error *);

/* The database's URL: -u, else $DBLOCK_URL, else a settings file's, else a file in the current
 * folder. */
const char *dbl_cli_url(const struct dbl_cli *);

/* So long do we wait, once the work is done, for a cluster's members that do not answer. */
enum { DBL_CLOSE_MS = 1000 };

/* Close the command's client, if there is one; cli->closing: that has yet to end, so _exit() is to follow. */
void dbl_cli_close(struct dbl_cli *);

/* The URLs of a cluster's members, if there are several in that one, with blanks in between (cluster.c). Each is
 * freed with free(); 0: out of memory. How many a cluster may have the library says. */
enum { DBL_URLS_MAX = DBL_TEXTS_MAX };
bool dbl_cli_is_cluster(const struct dbl_cli *);
size_t dbl_cli_members(const struct dbl_cli *, char *members[DBL_URLS_MAX]);

/* Look at them (member.c): as dblock_quorum_status(). */
int dbl_cli_look(struct dbl_cli *, const char *name, dblock_quorum_member_cb *found, void *arg,
		 struct dblock_quorum_state *state);

/* "votes", "down", "copy" */
const char *dbl_member_state(const struct dblock_quorum_member *);

/* An object with given, state, why and code; NULL: there is no memory. */
json_t *dbl_member_json(const struct dblock_quorum_member *);

/* Why members do not vote, a line for each, to be printed below a table. */
struct dbl_whys {
	FILE *out;
	char *text;
	size_t size;
};

/* Add what is to be said of that one; not 0: there is no memory. */
int dbl_whys_add(struct dbl_whys *, const struct dblock_quorum_member *);

/* Print them, and free the memory; or do only that. */
void dbl_whys_print(struct dbl_whys *);
void dbl_whys_free(struct dbl_whys *);

/* Has anybody said which database to use? Without a terminal that is needed. And is it one, if the command
 * is for one only? An exit code. */
int dbl_cli_need_url(const struct dbl_cli *);

/* Several URLs become one text: so the command that `run` runs finds the cluster in $DBLOCK_URL. An exit code. */
int dbl_cli_join_urls(struct dbl_cli *);

/* Let a `dblock` inside a command that we run find the same database: set what options have told us. A URL from a
 * file is found there again, and that file's password must not be in the environment. Not 0: no memory. */
int dbl_cli_set_place(const struct dbl_cli *);

/* Check the values of the global options. DBL_EXIT_OK, or it has said what is wrong. */
int dbl_cli_check(struct dbl_cli *);

/* The options of dblock_open(), from the global options. */
struct dblock_client_options dbl_cli_options(const struct dbl_cli *);

/* Open the client that the command wants. Returns an exit code, having said what is wrong. */
int dbl_cli_open(struct dbl_cli *);

/* Open a client with such options, but return an outcome, and say nothing. dbl_cli_need_url() was
 * called before. */
int dbl_cli_try_open(const struct dbl_cli *, const struct dblock_client_options *,
		     struct dblock_client **, struct dblock_error *);

/* Tell that the client could not be opened, and where the URL is from. Returns an exit code. */
int dbl_cli_not_opened(const struct dbl_cli *, int rc, const struct dblock_error *);

/* ---- settings.c, help.c ---------------------------------------------------------------------- */

/* Fill url, schema and prefix from files, if neither an option nor the environment has set them.
 * Returns an exit code, having named a line that is wrong, or a password that others can read. The
 * strings live as long as the process. */
int dbl_settings_read(struct dbl_cli *);

void dbl_help_all(const struct dbl_cli *);

/* group: the one that it is in; or NULL. */
void dbl_help_command(const struct dbl_command *group, const struct dbl_command *);

/* ---- all commands: cmd_*.c ------------------------------------------------------------------- */

extern const struct dbl_command dbl_command_run;
extern const struct dbl_command dbl_command_elect;
extern const struct dbl_command dbl_command_acquire;
extern const struct dbl_command dbl_command_renew;
extern const struct dbl_command dbl_command_release;
extern const struct dbl_command dbl_command_leader;
extern const struct dbl_command dbl_command_ls;
extern const struct dbl_command dbl_command_top;
extern const struct dbl_command dbl_command_show;
extern const struct dbl_command dbl_command_graph;
extern const struct dbl_command dbl_command_explain;
extern const struct dbl_command dbl_command_events;
extern const struct dbl_command dbl_command_request;
extern const struct dbl_command dbl_command_drain;
extern const struct dbl_command dbl_command_break;
extern const struct dbl_command dbl_command_rate;
extern const struct dbl_command dbl_command_reap;
extern const struct dbl_command dbl_command_metrics;
extern const struct dbl_command dbl_command_quorum;
extern const struct dbl_command dbl_command_quorum_status;
extern const struct dbl_command dbl_command_outbox;
extern const struct dbl_command dbl_command_pool;
extern const struct dbl_command dbl_command_latch;
extern const struct dbl_command dbl_command_barrier;
extern const struct dbl_command dbl_command_global;
extern const struct dbl_command dbl_command_recover;
extern const struct dbl_command dbl_command_doctor;
extern const struct dbl_command dbl_command_complete;
extern const struct dbl_command dbl_command_version;
extern const struct dbl_command dbl_command_help;
extern const struct dbl_command dbl_command_migrate;
extern const struct dbl_command dbl_command_schema;

#endif
