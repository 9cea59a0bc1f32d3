/* SPDX-License-Identifier: MIT */
/**
 * @file global.h  One transaction over several databases: all of it is committed, or nothing.
 *
 *     dblock_tx_from_sqlite(mine, NULL, &home, &err);           the database that decides: any kind
 *     dblock_tx_open(stock, &there, &err);                      others: PostgreSQL, MySQL, MariaDB
 *     dblock_global_begin(home, &global, &err);                 begins a transaction there,
 *     dblock_global_join(global, there, &err);                  and there
 *     ...                                                       your statements, fences, messages in both
 *     rc = dblock_global_commit(global, &err);
 *     dblock_global_close(global);
 *
 * It is two-phase commit: each branch is *prepared*, which is to say that it can be committed whatever happens; then a
 * row of the home's, which commits with the home's own part, decides; then the branches are committed, in the order
 * in which they were joined. Whoever dies in between leaves branches whose rows stay locked until dblock_recover() has
 * finished them: run it from a timer, with all databases, or do not use this. docs/user/transactions.md says when to
 * take it, and what else there is.
 *
 * A lock that is fenced in a branch stays so until the branch is finished. Join the branch that has the lock last: so
 * nobody is granted it while others are yet to be committed. A lock in the home's database is free once the home has
 * committed: let each branch raise a guard (guard.h) to its token.
 *
 * Threads: as a dblock_tx.
 */
#ifndef DBLOCK_GLOBAL_H
#define DBLOCK_GLOBAL_H

#include <dblock/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dblock_global;

/** Branches beside the home. */
#define DBLOCK_BRANCHES 16

/**
 * Begin a transaction on `home`, whose database decides. It has dblock's tables (`dblock schema up`).
 * On SQLite its connection's `PRAGMA synchronous` is FULL.
 *
 * @param home    no transaction is open on it; to be closed after the global one
 * @param global  to be closed with dblock_global_close(); NULL unless DBLOCK_OK
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  an argument is wrong; a transaction is open; SQLite forgets commits as it is set up
 * @retval DBLOCK_E_SCHEMA   the tables are missing
 * and as dblock_tx_begin(). Three to six round trips.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_global_begin(struct dblock_tx *home,
						    struct dblock_global **global,
						    struct dblock_error *err);

/**
 * Begin a branch on `tx`, before any statement of it. Its database has dblock's tables.
 *
 * @param tx  no transaction is open on it; to be closed after the global one. It is the global one's until that is over:
 *            dblock_tx_commit() and the like refuse it
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  it is SQLite, which can be home only; `max_prepared_transactions` of PostgreSQL is 0; the server is
 *                           Galera's, or MySQL before 8.0.30 with a binary log; a pooler
 *                           is in between; there are too many; a transaction is open
 * @retval DBLOCK_E_SCHEMA   the tables are missing
 * and as dblock_tx_begin(). Three round trips, four on MySQL. Nothing is written, and the global transaction goes on,
 * whatever the outcome.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_global_join(struct dblock_global *global,
						   struct dblock_tx *tx, struct dblock_error *err);

/**
 * Commit all of it.
 *
 * @retval DBLOCK_OK        it is decided: home is committed, and so is each branch, or will be: dblock_global_unfinished()
 * @retval DBLOCK_E_UNSURE  nobody knows yet: the home's answer was lost. dblock_recover() finds out, and finishes it, by
 *                          dblock_global_id()
 * @retval DBLOCK_E_CONFLICT it took so long that a recovery has rolled it back: begin again
 * @retval DBLOCK_E_INVALID on MySQL: a branch has written a table that keeps no transactions, such as MyISAM's; that stays
 *                          written, and all else is rolled back. On PostgreSQL it cannot be prepared if it has sent a NOTIFY,
 *                          or used a temporary table
 * Any other outcome, as of dblock_tx_commit(), is that of the database that could not: it is rolled back everywhere.
 * Two round trips a branch before the decision (six on MySQL), two on the home, and two a branch after it.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_global_commit(struct dblock_global *global,
						     struct dblock_error *err);

/**
 * Roll back all of it. Where a connection is lost the server does, or dblock_recover().
 * @retval DBLOCK_OK
 * @retval DBLOCK_E_INVALID  it is over
 */
DBLOCK_API int dblock_global_rollback(struct dblock_global *global, struct dblock_error *err);

/** Close it; if it is not over, roll it back. The transactions stay the caller's. NULL is allowed. */
DBLOCK_API void dblock_global_close(struct dblock_global *global);

/** Its id, 16 hexadecimal digits, as the recovery shows it. Lives as long as it. */
DBLOCK_API const char *dblock_global_id(const struct dblock_global *global);

/** After DBLOCK_OK of dblock_global_commit(): so many branches are yet to be committed, by dblock_recover(). */
DBLOCK_API int64_t dblock_global_unfinished(const struct dblock_global *global);

/** What the recovery has found of one transaction. */
enum dblock_recovered {
	DBLOCK_RECOVERED_COMMITTED = 1, /**< it was decided, and is committed everywhere now */
	DBLOCK_RECOVERED_ROLLED_BACK, /**< it had not been decided, and never will be: rolled back */
	DBLOCK_RECOVERED_NOT_YET, /**< it goes on, or a database could not be reached, or has not let go */
	DBLOCK_RECOVERED_IN_DOUBT /**< its home is not among those given, or was restored since: nobody
				       can know. A person has to look, and to say: see `verdict` */
};

/** Strings live until the callback returns. */
struct dblock_recovery {
	size_t size; /**< sizeof(struct dblock_recovery) of the library */
	enum dblock_recovered outcome;
	const char *id;   /**< dblock_global_id() */
	int64_t branches; /**< so many of it were found prepared */
	int64_t since_us; /**< when it began, us since the epoch by the clock of who did */
	const char *text; /**< for people */
	int64_t home; /**< its home is that client, as given, from 0; -1: none of those that answer */
};

/** Called for each. Not 0 ends the recovery, which then returns that. */
typedef int dblock_recovery_cb(void *arg, const struct dblock_recovery *found);

/** Where a branch stands. */
enum dblock_branch_state {
	DBLOCK_BRANCH_PREPARED = 1, /**< it keeps its rows locked, until it is finished */
	DBLOCK_BRANCH_COMMITTED,
	DBLOCK_BRANCH_UNSEEN /**< on none of the databases that answer: it was rolled back, or is on another */
};

struct dblock_branch {
	size_t size;    /**< sizeof(struct dblock_branch) of the library */
	const char *id; /**< of its transaction */
	int64_t number; /**< from 1, in the order of dblock_global_join() */
	enum dblock_branch_state state;
	int64_t client; /**< on that database, as given, from 0; -1: not known. A prepared one: on the
			     first that lists it, as a server of MySQL's does for all its databases */
};

/** Called for each branch, behind its transaction. Not 0 ends the recovery, which then returns that. */
typedef int dblock_branch_cb(void *arg, const struct dblock_branch *branch);

/** What a person says of a transaction that is in doubt. */
enum dblock_verdict {
	DBLOCK_VERDICT_NONE,
	DBLOCK_VERDICT_COMMIT, /**< commit the branches: its home's own part is not made good by that */
	DBLOCK_VERDICT_ROLL_BACK
};

/** Options of dblock_recover(). Zero is the default, everywhere. */
struct dblock_recover_options {
	size_t size; /**< sizeof(struct dblock_recover_options), set by the initialiser */
	int64_t grace_ms; /**< what began more recently, and is not decided, is left alone; default 60 s */
	const char *id; /**< only this transaction; NULL: all */
	bool look; /**< change nothing: each outcome is what would be done. Clients that only read will do */
	dblock_branch_cb
		*branch; /**< NULL: nobody is told of branches. Two round trips more a database and
				       transaction */
	enum dblock_verdict
		verdict; /**< of `id`, which is in doubt, and then is not; grace_ms does not count.
					  DBLOCK_E_INVALID where its home knows better: it was decided
					  otherwise, or has not been, by a home that forgot nothing */
	bool without_home; /**< the verdict stands though its home is not asked, as that is gone for good */
};

#define DBLOCK_RECOVER_OPTIONS_INIT                                                                \
	{                                                                                          \
		sizeof(struct dblock_recover_options), 0, NULL, false, NULL, DBLOCK_VERDICT_NONE,  \
			false                                                                      \
	}

/**
 * Finish what others have begun and left: on each database list what is prepared under a name of dblock's, read at its home
 * what was decided, and do it; if nothing was, write down that it never will be, and roll back. Prepared transactions of
 * others are not touched. May run at any time, anywhere, and twice at a time.
 *
 * @param clients  of all databases that take part, homes too
 * @param found    NULL: nobody is told
 * @retval DBLOCK_OK  all that was found is finished, or has been told
 * @retval DBLOCK_E_INVALID  an option is wrong; the verdict is refused: nothing is changed
 * @return what a callback returned, or the failure of the first database that could not be asked; the others are
 *         finished all the same
 * Thread-safe. Two round trips a database, and about four a transaction.
 */
DBLOCK_API int dblock_recover(struct dblock_client *const *clients, size_t n,
			      const struct dblock_recover_options *options,
			      dblock_recovery_cb *found, void *arg, struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
