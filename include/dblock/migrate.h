/* SPDX-License-Identifier: MIT */
/**
 * @file migrate.h  Schema migrations: the library's own, and the application's.
 *
 * A migration is a number, a name, an SQL text that applies it and perhaps one that undoes it: two
 * files NNNN_name.up.sql and NNNN_name.down.sql, or an element of an array. What was applied stands
 * in one table, dblock_migration, by scope ("dblock" is the library itself, "app" the application
 * unless it says otherwise) and number. Any number of processes may start at once: each migration
 * is applied exactly once.
 *
 * The message in `struct dblock_error` of a call that failed is for people as it is. It has a line
 * for each part: what is wrong ("FILE:LINE:COLUMN: statement K of N: SQLSTATE text", if it is about
 * a place in a file); "  " and the first 200 characters of the statement; "said:  " and what else the
 * database said (DETAIL, HINT, CONTEXT), in up to three lines; "state: " and what of the file stands
 * now; "next:  " and what to do, with the command of the program `dblock`, and further
 * such lines that begin with seven blanks. The first and the one that says what to do are always
 * there.
 */
#ifndef DBLOCK_MIGRATE_H
#define DBLOCK_MIGRATE_H

#include <stdbool.h>

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A repeatable migration, R_name.sql, is applied after all others, and again whenever its text has
 * changed: CREATE OR REPLACE VIEW and the like. It has no text that undoes it. Its number is not below
 * this one, and made from its name: dblock_migration_repeatable(). */
#define DBLOCK_MIGRATION_REPEATABLE ((int64_t)1 << 62)

/**
 * The number of the repeatable migration of this name ("name" for R_name.sql). Thread-safe. No round
 * trip.
 */
DBLOCK_API int64_t dblock_migration_repeatable(const char *name);

enum dblock_migration_state {
	DBLOCK_MIGRATION_PENDING = 0, /**< not applied */
	DBLOCK_MIGRATION_APPLIED = 1, /**< applied as a whole */
	DBLOCK_MIGRATION_RUNNING = 2, /**< begun: somebody is at it, as far as the database tells */
	DBLOCK_MIGRATION_MISSING = 3, /**< applied, not in this set: a newer program's, or lost */
	DBLOCK_MIGRATION_FAILED = 4, /**< the database refused a statement; those before it stand */
	DBLOCK_MIGRATION_IN_DOUBT =
		5, /**< a statement was sent whose outcome nobody knows: repair */
	DBLOCK_MIGRATION_REVERTING = 6, /**< begun to be undone, and not finished */
	DBLOCK_MIGRATION_STOPPED = 7    /**< begun, and nobody is at it: `up` goes on */
};

/** One migration. Strings live until the callback returns. */
struct dblock_migration {
	size_t size; /**< sizeof(struct dblock_migration) of the library */
	int64_t version;
	const char *name;
	enum dblock_migration_state state;
	int64_t applied_us;     /**< when, by the database's clock; 0 if it is not applied */
	const char *applied_by; /**< user@host (and pid) of the process; "" if it is not applied */
	bool now;               /**< applied, or undone, by this very call */
	bool changed;           /**< applied from another text than the one in this set */
	bool out_of_order;      /**< not applied, though one with a larger number is */
	bool newer;             /**< missing, and above all in this set: a newer program's */
	bool stepwise;          /**< not one transaction: each statement stands when it is done */
	int64_t steps;          /**< statements in it; once undone: in what undid it */
	int64_t step_done;      /**< how many of them are known to be done */
	int64_t took_us;        /**< how long it ran; 0 unless `now` */
	const char *error;      /**< what the database said when it failed; else "" */
	const char *checksum; /**< SHA-256 of the text that was applied; pending: of the one here */
	int64_t rows;         /**< how many its statements changed in this call; 0 unless `now` */
};

/** Return other than 0 to stop being told; the call returns that. What was applied stays so. */
typedef int dblock_migration_cb(void *arg, const struct dblock_migration *migration);

/** One migration of an array. Neither text needs a NUL behind it. Frozen. */
struct dblock_migration_file {
	int64_t version; /**< above 0, in rising order; then repeatable ones */
	const char *name;
	const char *up;
	size_t up_len;
	const char *down; /**< NULL: it cannot be undone */
	size_t down_len;
};

/** What happens right now. Strings live until the callback returns. */
struct dblock_migrate_progress {
	size_t size;
	bool waiting;        /**< for another process that is migrating */
	const char *holder;  /**< waiting: who that is, as far as the database tells; else "" */
	int64_t waited_ms;   /**< waiting: how long so far */
	int64_t version;     /**< else: the migration, */
	const char *name;    /**< its name, */
	int64_t step, steps; /**< and which of its statements is sent next, from 1; */
	int64_t took_ms;     /**< once a second while it runs: for how long, */
	const char *doing;   /**< and on a server what it is at (an index, a lock), or "" */
	int64_t rows;        /**< how many rows those before it have changed, in this call */
};

typedef void dblock_migrate_progress_cb(void *arg, const struct dblock_migrate_progress *progress);

enum dblock_migrate_problem_kind {
	DBLOCK_PROBLEM_CHANGED = 1,   /**< applied from another text than the one in this set */
	DBLOCK_PROBLEM_MISSING,       /**< applied, not in this set, and others above it are */
	DBLOCK_PROBLEM_NEWER,         /**< applied, and above all of this set: a newer program's */
	DBLOCK_PROBLEM_OUT_OF_ORDER,  /**< not applied, though one with a larger number is */
	DBLOCK_PROBLEM_UNFINISHED,    /**< begun, and not finished: a later call may go on */
	DBLOCK_PROBLEM_IN_DOUBT,      /**< begun, and only a person can say how to go on */
	DBLOCK_PROBLEM_INVALID_INDEX, /**< PostgreSQL: an index that serves nobody */
	DBLOCK_PROBLEM_FILES,         /**< a file, its name or its text is not sound */
	DBLOCK_PROBLEM_EMPTY,      /**< harmless: a file into which nobody has written anything */
	DBLOCK_PROBLEM_NAME_ORDER, /**< harmless: other tools, which sort names, see another order */
	DBLOCK_PROBLEM_NOTICE /**< harmless: what the database said of a statement that it ran */
};

/** What is wrong. Strings live until the callback returns. */
struct dblock_migrate_problem {
	size_t size; /**< sizeof(struct dblock_migrate_problem) of the library */
	enum dblock_migrate_problem_kind kind;
	bool harmless;   /**< worth a word, and no more */
	int64_t version; /**< 0: not about one migration */
	const char *name;
	const char *detail; /**< what, and what to do */
};

/** Return other than 0 to stop being told; the call returns that. */
typedef int dblock_migrate_problem_cb(void *arg, const struct dblock_migrate_problem *problem);

/** Which migrations, and how. All zero is the default. */
struct dblock_migrate_options {
	size_t size; /**< sizeof(struct dblock_migrate_options), set by the initialiser */

	/* One of the two; neither: the library's own. */
	const char *dir; /**< a folder; dir/<dialect>/ (sqlite, postgresql, mysql) if there */
	const struct dblock_migration_file *files;
	size_t n_files;

	const char *scope; /**< whose they are: [a-z0-9_.-]{1,64}; NULL: "app" */
	int64_t to;        /**< up: not beyond this version; down: not this one; 0: no limit */
	int64_t count;     /**< at most so many; 0: up: all, down: 1 */
	bool all;          /**< down: all, whatever `count` */
	bool allow_out_of_order; /**< up: also those with numbers below one that is applied */
	bool allow_missing;      /**< up: although applied ones are not in this set */
	bool strict;     /**< verify, plan: a database that is newer than this set is wrong, too */
	int64_t wait_ms; /**< for another process that migrates; default: 60 s */
	int64_t lock_timeout_ms; /**< of a statement, for a table in use; default: 5 s; or DBLOCK_FOREVER */

	dblock_migrate_progress_cb *progress; /**< may be NULL */
	void *progress_arg;
	/** Told of what is allowed in the files, and yet worth a word, and of what the database says
	 * of a statement that it runs (NOTICE, SHOW WARNINGS); what it returns does not matter; may
	 * be NULL. Not used by dblock_migrate_verify(), which tells of these as well. */
	dblock_migrate_problem_cb *warned;
	void *warned_arg;
	/** Asked before each statement, and while waiting: not 0 stops the call; may be NULL. */
	int (*canceled)(void *arg);
	void *canceled_arg;
	/** up: where nothing is recorded yet, take over the history that another tool has in this
	 * database, if there is one, as dblock_migrate_adopt() does (adopt.h) */
	bool adopt;
	bool allow_tables; /**< up: run all, although others keep tables in this database */
	/** The value of ${name} in files that have a line `-- dblock:variables name`; NULL: none */
	const char *(*variable)(void *arg, const char *name);
	void *variable_arg;
};

#define DBLOCK_MIGRATE_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_migrate_options), NULL, NULL, 0, NULL, 0, 0, 0, 0, 0, 0, 0,   \
			0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL                    \
	}

/**
 * Apply what is missing, in order of number. Opens a connection of its own, and reads once if
 * nothing is missing.
 *
 * Each is one transaction, its row in dblock_migration included, where the database can roll back
 * what is in it: PostgreSQL (unless the first line is `-- no-transaction`), SQLite, and on MySQL
 * what only changes rows. Else each statement is done for itself, and counted before and after it:
 * a later call goes on where that is safe.
 *
 * All texts are checked before anything is written. Where nothing is recorded yet, and another tool
 * or nobody knows who made the tables, nothing is run, unless `adopt` or `allow_tables` say how.
 *
 * @param options  as for dblock_open(): prefix, schema, timeout_ms (of each answer but those to
 *                 migrations' own statements, which take as long as they take)
 * @param which    NULL: the library's own
 * @param applied  called for each one that this call applied; may be NULL
 * @retval DBLOCK_OK  none is missing (any more)
 * @retval DBLOCK_TIMEOUT  another process was migrating for all of wait_ms
 * @retval DBLOCK_BUSY  DBLOCK_NO_WAIT: another process is migrating
 * @retval DBLOCK_CANCELED  by `canceled`; a later call goes on
 * @retval DBLOCK_E_INVALID  a file, its name or its text is not sound; nothing was done
 * @retval DBLOCK_E_MIGRATION  the database refused a statement; err says which, and what stands
 * @retval DBLOCK_E_DRIFT  a file was changed or is missing after it was applied, or has a number below
 * an applied one; or nothing is recorded, and there are tables or another tool's history; nothing was done
 * @retval DBLOCK_E_REPAIR  one stopped halfway: dblock_migrate_repair(); nothing was done
 * @retval DBLOCK_E_SCHEMA  a table of another shape stands under our name; or the library's own
 *                          are of no release, or to be undone while they are of an older one
 * @retval DBLOCK_E_NO_ANSWER  no answer within timeout_ms; dblock_migrate_status() tells what is applied
 * Otherwise as dblock_open(). Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_up(const char *url,
						  const struct dblock_client_options *options,
						  const struct dblock_migrate_options *which,
						  dblock_migration_cb *applied, void *arg,
						  struct dblock_error *err);

/**
 * Undo: in the reverse of the order in which they were applied, one unless told otherwise. All that
 * are to be undone must have a text for it; that is checked first. Outcomes as dblock_migrate_up().
 * The library's own (`which` NULL) are only undone while nobody holds a lock: else DBLOCK_BUSY.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_down(const char *url,
						    const struct dblock_client_options *options,
						    const struct dblock_migrate_options *which,
						    dblock_migration_cb *undone, void *arg,
						    struct dblock_error *err);

/**
 * Say what is applied and what is pending, in order of number. Writes nothing. A text that could not be
 * run is told to `warned`, and stops neither this nor dblock_migrate_baseline(). Outcomes as dblock_open().
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_status(const char *url,
						      const struct dblock_client_options *options,
						      const struct dblock_migrate_options *which,
						      dblock_migration_cb *found, void *arg,
						      struct dblock_error *err);

/**
 * Take the existing schema for that of `version`: record it and all below it as applied, without
 * running them. Only if nothing of the scope is recorded yet: else DBLOCK_E_DRIFT.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_baseline(const char *url,
							const struct dblock_client_options *options,
							const struct dblock_migrate_options *which,
							int64_t version, struct dblock_error *err);

/** What a person found out about one that stopped halfway. */
enum dblock_migrate_verdict {
	DBLOCK_MIGRATE_DONE = 1, /**< the statement in doubt took effect, or the next one was done
				     by hand: go on after it */
	DBLOCK_MIGRATE_NOT_DONE, /**< it did not: run it again */
	DBLOCK_MIGRATE_APPLIED, /**< the whole file is in place; also of one that was never begun */
	DBLOCK_MIGRATE_FORGET,  /**< it was undone by hand: it is pending again */
	DBLOCK_MIGRATE_RECHECKSUM /**< it is applied, and the text it has now is right */
};

/**
 * Change one row of the history by a person's word. Runs nothing.
 * @retval DBLOCK_STALE  that verdict does not fit the state that the migration is in
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_repair(const char *url,
						      const struct dblock_client_options *options,
						      const struct dblock_migrate_options *which,
						      int64_t version,
						      enum dblock_migrate_verdict verdict,
						      struct dblock_error *err);

/** What a statement does to others, the least first. With `strict` the last three are wrong. */
enum dblock_migrate_severity {
	DBLOCK_SEVERITY_NONE = 0,
	DBLOCK_SEVERITY_WAITS = 1,  /**< takes long, or waits for others; hinders few of them */
	DBLOCK_SEVERITY_BLOCKS = 2, /**< keeps others out while it reads or writes a whole table */
	DBLOCK_SEVERITY_BREAKS = 3, /**< running programs fail, or it does where there are rows */
	DBLOCK_SEVERITY_LOSES = 4   /**< rows, or what is in a column, are gone */
};

/** A statement that is to be run. Strings live until the callback returns. Frozen. */
struct dblock_migrate_statement {
	int64_t line; /**< where it begins in its file */
	const char *text;
	const char *hint; /**< what it does to others, and how to spare them; or "" */
	const char *rule; /**< which rule says so, like "drop-column"; or "" */
	enum dblock_migrate_severity severity;
};

/** A migration that dblock_migrate_up() would apply. Strings live until the callback returns. */
struct dblock_migrate_planned {
	size_t size; /**< sizeof(struct dblock_migrate_planned) of the library */
	int64_t version;
	const char *name;
	const char *path;  /**< of its file */
	bool stepwise;     /**< not one transaction: each statement stands when it is done */
	int64_t steps;     /**< how many statements it has */
	int64_t step_done; /**< so many of them are done already, and not run again */
	/** All; of a file too large for memory only those of which a rule has something to say. */
	const struct dblock_migrate_statement *statements;
	size_t n_statements;
	/** What would be sent, rows of the history included, as a script for the database's own client
	 * (psql, mysql, sqlite3); its lines end in \n. Run it with one that stops at the first error. */
	const char *script;
};

/** Return other than 0 to stop being told; the call returns that. */
typedef int dblock_migrate_planned_cb(void *arg, const struct dblock_migrate_planned *planned);

/**
 * Say what dblock_migrate_up() would do, in the order in which it would: with the same options, and
 * the same outcomes where it would not begin. Writes nothing, waits for nobody. With `strict`,
 * DBLOCK_E_MIGRATION, after all were told, if one loses, breaks or blocks something.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_plan(const char *url,
						    const struct dblock_client_options *options,
						    const struct dblock_migrate_options *which,
						    dblock_migrate_planned_cb *planned, void *arg,
						    struct dblock_error *err);

/**
 * Compare a set with what was applied, and tell all that is wrong. Writes nothing.
 *
 * @param which  with `strict`, what a newer program applied is wrong too
 * @retval DBLOCK_OK  nothing is wrong; some things may be pending
 * @retval DBLOCK_E_DRIFT  they do not fit together
 * @retval DBLOCK_E_REPAIR  one stopped halfway, and only a person can say how to go on
 * @retval DBLOCK_E_INVALID  a file, its name or its text is not sound
 * Otherwise as dblock_open(). Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_verify(const char *url,
						      const struct dblock_client_options *options,
						      const struct dblock_migrate_options *which,
						      dblock_migrate_problem_cb *found, void *arg,
						      struct dblock_error *err);

/** Strings live until the callback returns. Return other than 0 to stop being told. */
typedef int dblock_migration_file_cb(void *arg, const struct dblock_migration_file *file);

/**
 * Read a folder of migrations and check all that can be checked without a database, for one kind of
 * database: what dblock_migrate_up() does before it does anything else.
 *
 * @param dir      as in struct dblock_migrate_options
 * @param dialect  "sqlite", "postgresql" or "mysql"
 * @param found    called for each, in rising order, after all were checked; the texts have no byte
 *                 order mark, and lines that end in \n; may be NULL
 * @param warned   called for what is allowed, and yet worth a word; may be NULL
 * @retval DBLOCK_E_INVALID  a file, its name or its text is not sound: which, where, and what to do
 * @return DBLOCK_OK, DBLOCK_E_NOMEM, or what the callback returned
 * Thread-safe. No round trip.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_check(const char *dir, const char *dialect,
						     dblock_migration_file_cb *found,
						     dblock_migrate_problem_cb *warned, void *arg,
						     struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
