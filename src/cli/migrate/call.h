/* SPDX-License-Identifier: MIT */
/* What the commands of `dblock migrate` and `dblock schema` share: options, one call of the library
 * with its progress and its report. */
#ifndef DBL_CLI_MIGRATE_CLI_H
#define DBL_CLI_MIGRATE_CLI_H

#include <pthread.h>
#include <stdatomic.h>

#include <dblock/adopt.h>
#include <dblock/database.h>
#include <dblock/dump.h>
#include <dblock/migrate.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

/* ---- options -------------------------------------------------------------------------------- */

/* The options of all commands of the group; each command's table names its own. */
struct dbl_migrate_args {
	bool own;                            /* for the library's own tables: `dblock schema` */
	struct dblock_migrate_options which; /* wait_ms, lock_timeout_ms: -1: not given */
	const char *out, *dialect, *symbol, *dump;
	const char *version_column, *column, *fence, *lock, *from, *to_dir;
	struct dbl_texts dialects, variables;
	bool allow_down, yes, force;
	bool check, files_only, sql, seq, dry_run, env;
	bool done, not_done, applied, forget, rechecksum;
};

#define DBL_MIGRATE_WHICH_INIT                                                                     \
	{                                                                                          \
		.size = sizeof(struct dblock_migrate_options), .wait_ms = -1,                      \
		.lock_timeout_ms = -1                                                              \
	}

#define DBL_MIGRATE_AT(member)               offsetof(struct dbl_migrate_args, member)

#define DBL_MIGRATE_FLAG(name, member, help) DBL_FLAG_ARG(name, 0, DBL_MIGRATE_AT(member), help)

#define DBL_MIGRATE_TEXT(name, letter, member, value, help)                                        \
	DBL_TEXT_ARG(name, letter, DBL_MIGRATE_AT(member), value, help)

#define DBL_MIGRATE_NUMBER(name, letter, member, value, help)                                      \
	{                                                                                          \
		name, letter, DBL_ARG_NUMBER, DBL_MIGRATE_AT(member), value, 1, INT64_MAX, help,   \
			NULL                                                                       \
	}

#define DBL_MIGRATE_TO(help)    DBL_MIGRATE_NUMBER("to", 0, which.to, "V", help)
#define DBL_MIGRATE_COUNT(help) DBL_MIGRATE_NUMBER("count", 'n', which.count, "N", help)

#define DBL_MIGRATE_OUT_OF_ORDER(help)                                                             \
	DBL_MIGRATE_FLAG("allow-out-of-order", which.allow_out_of_order, help),                    \
		DBL_MIGRATE_FLAG("allow-missing", which.allow_missing,                             \
				 "although files of applied ones are missing")

#define DBL_MIGRATE_TABLES                                                                         \
	DBL_MIGRATE_FLAG("allow-tables", which.allow_tables,                                       \
			 "although others keep tables in this database")

#define DBL_MIGRATE_SQL                                                                            \
	DBL_MIGRATE_FLAG("sql", sql, "print a script, the rows of the history in it")

#define DBL_MIGRATE_YES DBL_MIGRATE_FLAG("yes", yes, "do not ask")

/* For commands that may have to wait for another process. */
#define DBL_MIGRATE_WAIT                                                                           \
	DBL_DURATION_ARG("wait", 0, DBL_MIGRATE_AT(which.wait_ms), 0, DBL_DURATION_MAX_MS,         \
			 "for another process that is migrating; default 1m")

/* For commands that run statements. */
#define DBL_MIGRATE_RUNS                                                                           \
	DBL_MIGRATE_WAIT,                                                                          \
		DBL_DURATION_ARG("lock-timeout", 0, DBL_MIGRATE_AT(which.lock_timeout_ms), 0,      \
				 DBL_DURATION_MAX_MS,                                              \
				 "for a table that is in use; default 5s, 0: no limit")

/* Read the operand V, a version as a person types it: 7, 0007; 0 only if `zero`. Returns an exit
 * code, having said what is wrong. */
int dbl_migrate_version(const struct dbl_cli *, bool zero, int64_t *version);

/* The same for an operand that may be a repeatable one: R_name. */
int dbl_migrate_which(const struct dbl_cli *, int64_t *version);

/* Write "0007_name", or "R_name". */
enum { DBL_MIGRATE_LABEL = 230 };
const char *dbl_migrate_label(char text[DBL_MIGRATE_LABEL], int64_t version, const char *name);

/* Find the folder of the files: --dir, else ./migrations; NULL: they are the library's own. Returns
 * an exit code, having said so if there is neither. */
int dbl_migrate_where(const struct dbl_cli *, const char **dir);

/* "sqlite", "postgresql" or "mysql", as the URL says; else "". */
const char *dbl_migrate_dialect(const struct dbl_cli *);

/* ---- signals: cancel.c ---------------------------------------------------------------------- */

/* TERM, INT and the like set a flag, which the library checks before each statement; a second
 * signal ends the process at once. */
struct dbl_cancel {
	const struct dbl_cli *cli;
	struct dbl_signals signals;
	pthread_t thread;
	bool started;
	_Atomic bool flag;
};

void dbl_cancel_begin(struct dbl_cancel *, const struct dbl_cli *);
/* For struct dblock_migrate_options.canceled. */
int dbl_cancel_asked(void *cancel);

void dbl_cancel_end(struct dbl_cancel *);

/* ---- one call: call.c ----------------------------------------------------------------------- */

struct dbl_migrate_call {
	const struct dbl_cli *cli;
	const struct dbl_migrate_args *args;
	const char *dir; /* NULL: the library's own */
	const char *url;
	struct dblock_client_options options;
	struct dblock_migrate_options which;
	struct dblock_error err;
	struct dbl_cancel cancel;
	bool runs;       /* it runs migrations, and can be stopped */
	const char *did; /* "applied", "undone" */
	int64_t count;   /* how many */
	int64_t told_ms; /* waiting: when that was last told */
	int64_t waited_ms;
	bool terminal;              /* stderr is a terminal that can be drawn on */
	bool drawn;                 /* there is a line on it that has to be erased */
	int64_t drawn_ms, began_ms; /* when it was drawn, and when its file was begun */
	int64_t version;            /* the last one under way, and where in it */
	int64_t step, steps;
	json_t *migrations, *problems; /* for the report; NULL without --json */
	int64_t from, to;              /* the largest version applied: before, now; -1: unknown */
	bool rolled_back;
};

/* Fill the call from the command line; an exit code. After DBL_EXIT_OK dbl_migrate_end() is due. */
int dbl_migrate_begin(struct dbl_migrate_call *, const struct dbl_cli *);

/* The same for a command that is about no files, and reports in its own way. */
int dbl_migrate_begin_database(struct dbl_migrate_call *, const struct dbl_cli *);

/* dblock_migrate_status() with the options of the call. */
int dbl_migrate_look(struct dbl_migrate_call *, dblock_migration_cb *found, void *arg);

/* Let the next call tell of warnings about the files. */
void dbl_migrate_warn(struct dbl_migrate_call *);

/* Migrations are run from now on, which signals stop. */
void dbl_migrate_run(struct dbl_migrate_call *);

/* Tell how the call ended, to people or as the one JSON object; returns the exit code. */
int dbl_migrate_end(struct dbl_migrate_call *, int rc);

/* The same, with an exit code that tells more than rc. */
int dbl_migrate_end_with(struct dbl_migrate_call *, int rc, int code);

/* Tell on stderr why it failed. */
void dbl_migrate_say_failure(const struct dbl_migrate_call *, int rc);

/* A dblock_migration_cb: a migration was applied, or undone. */
int dbl_migrate_told(void *call, const struct dblock_migration *);

/* Tell of a problem: in the report, or as an error. */
void dbl_migrate_problem(struct dbl_migrate_call *, const struct dblock_migrate_problem *);

/* ---- the message of a failure: words.c ------------------------------------------------------ */

enum { DBL_MIGRATE_NEXT = 6, DBL_MIGRATE_SAID = 3 };

/* A message of the library in its parts; NULL: there is no such part. */
struct dbl_migrate_words {
	char *text; /* what the others point into; NULL: there is no memory, and no part */
	const char *what, *statement, *state;
	const char *said[DBL_MIGRATE_SAID]; /* by the database, beside what is in `what` */
	const char *next[DBL_MIGRATE_NEXT];
	int n_said, n_next;
};

/* Take a message apart. dbl_migrate_words_free() is due. Only the options of the call are used. */
void dbl_migrate_words_read(struct dbl_migrate_words *, const struct dbl_migrate_call *,
			    const char *message);
void dbl_migrate_words_free(struct dbl_migrate_words *);

/* Print it on stderr; on a terminal with the lines of the file for the statement. */
void dbl_migrate_words_print(const struct dbl_migrate_words *, bool terminal);

/* Print the place "FILE:LINE:COLUMN: ..." that a message begins with: the line with a caret below, and
 * two lines on each side. False: it names none, or the file cannot be read. */
bool dbl_migrate_excerpt(const char *what);

/* The text with each 'dblock migrate ...' and 'dblock schema ...' in it extended by the options
 * that name the files and tables of this call; to be freed. */
char *dbl_migrate_exact(const struct dbl_migrate_call *, const char *text);

/* ---- report.c ------------------------------------------------------------------------------- */

const char *dbl_migrate_state(const struct dblock_migration *);
/* Has it stopped halfway, or is a process at it? */
bool dbl_migrate_is_stuck(const struct dblock_migration *);
const char *dbl_migrate_problem_code(enum dblock_migrate_problem_kind);

json_t *dbl_migrate_json(const struct dblock_migration *);
/* Add `version`, null for a repeatable one, and `repeatable`. */
void dbl_migrate_json_version(json_t *object, int64_t version);

/* The member `error` of the report. */
json_t *dbl_migrate_error(const struct dbl_migrate_call *, int rc);

/* Print the report of a call, and free it; not 0: there is no memory. */
int dbl_migrate_report(struct dbl_migrate_call *, int rc);

/* ---- asking: call.c ------------------------------------------------------------------------- */

/* Ask on the terminal, unless --yes. DBL_EXIT_OK: yes. Without a terminal this refuses. */
int dbl_migrate_ask(struct dbl_migrate_call *, const char *question);

/* ---- the commands --------------------------------------------------------------------------- */

extern const struct dbl_command dbl_migrate_command_up;
extern const struct dbl_command dbl_migrate_command_down;
extern const struct dbl_command dbl_migrate_command_to;
extern const struct dbl_command dbl_migrate_command_goto;
extern const struct dbl_command dbl_migrate_command_redo;
extern const struct dbl_command dbl_migrate_command_status;
extern const struct dbl_command dbl_migrate_command_verify;
extern const struct dbl_command dbl_migrate_command_plan;
extern const struct dbl_command dbl_migrate_command_new;
extern const struct dbl_command dbl_migrate_command_embed;
extern const struct dbl_command dbl_migrate_command_import;
extern const struct dbl_command dbl_migrate_command_baseline;
extern const struct dbl_command dbl_migrate_command_adopt;
extern const struct dbl_command dbl_migrate_command_repair;
extern const struct dbl_command dbl_migrate_command_dump;
extern const struct dbl_command dbl_migrate_command_wait;
extern const struct dbl_command dbl_migrate_command_create;
extern const struct dbl_command dbl_migrate_command_drop;
extern const struct dbl_command dbl_migrate_command_help; /* of both groups */

/* Options that `dblock schema` has as well. */
extern const struct dbl_arg dbl_migrate_down_args[];
extern const struct dbl_arg dbl_migrate_status_args[];
extern const struct dbl_arg dbl_migrate_baseline_args[];
extern const struct dbl_arg dbl_migrate_repair_args[];

#endif
