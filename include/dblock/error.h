/* SPDX-License-Identifier: MIT */
/**
 * @file error.h  Outcomes and error detail.
 *
 * The sign of an outcome carries its meaning:
 *   0    done, or: it is yours
 *   > 0  an expected outcome: everything works, but it is not yours
 *   < 0  a failure: `struct dblock_error` says what, and what to do next
 *
 * A careless `if (rc)` is still safe: anything but 0 means "not held".
 *
 * An outcome > 0 is about what the call asks for: the lock of that name, the rows, the row of that
 * version. Somebody else has it (BUSY), had it for all of wait_ms (TIMEOUT), waits for us in turn
 * (DEADLOCK), was to meet us and has gone (BROKEN). One < 0 is about the database on the way there: another transaction is in the way of
 * a statement (E_BLOCKED), no answer came (E_NO_ANSWER), it has taken the transaction back so that
 * another one can go on (E_CONFLICT).
 *
 * A struct of options begins with its size, which its initialiser sets; NULL stands for the default
 * of each. One that was compiled with an older header has fewer members: the others are default.
 * With a newer one it has more: as long as those are default the call is made, else it is
 * DBLOCK_E_INVALID, and the message says that the library is older. A struct that is frozen has the
 * same members in every version: arrays are made of it, or it is part of another one.
 */
#ifndef DBLOCK_ERROR_H
#define DBLOCK_ERROR_H

#include <dblock/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, text): the one list from which enum, name and text are made. */
#define DBLOCK_OUTCOME_MAP(X)                                                                      \
	X(OK, 0, "done")                                                                           \
	X(BUSY, 1, "somebody else holds the lock")                                                 \
	X(TIMEOUT, 2, "the lock was not free within the time allowed")                             \
	X(LOST, 3, "the lock was held and is no longer")                                           \
	X(STALE, 4, "that grant does not hold the lock")                                           \
	X(CANCELED, 5, "the wait was canceled by its caller")                                      \
	X(WAITING, 6, "the lock is not granted yet: the wait goes on")                             \
	X(DONE, 7, "it has been done before")                                                      \
	X(DEADLOCK, 8, "each waits for what the other holds: this one gave up")                    \
	X(FENCED, 9, "a transaction of the holder's own stands behind its fence")                  \
	X(GONE, 10, "there is no such row")                                                        \
	X(BROKEN, 11, "one of those who were waited for has gone")                                 \
	X(E_INVALID, -1, "an argument is not valid")                                               \
	X(E_NOMEM, -2, "out of memory")                                                            \
	X(E_UNAVAILABLE, -3, "the database cannot be reached")                                     \
	X(E_UNSURE, -4, "the reply was lost: the request may or may not have been carried out")    \
	X(E_NO_ANSWER, -5, "the database did not answer in time")                                  \
	X(E_BLOCKED, -6, "a row, table or file is locked by another transaction")                  \
	X(E_CONFLICT, -7, "the transaction lost a conflict and has to be run again")               \
	X(E_SCHEMA, -8, "the tables of dblock are missing, too old or of another shape")           \
	X(E_DENIED, -9, "the database refuses permission")                                         \
	X(E_READONLY, -10, "the database cannot be written")                                       \
	X(E_FULL, -11, "the database has no room left")                                            \
	X(E_NOTDB, -12, "the file is not a database, or is damaged")                               \
	X(E_FORKED, -13, "the client belongs to the parent process")                               \
	X(E_BUG, -14, "an error inside dblock")                                                    \
	X(E_MIGRATION, -15, "a migration failed")                                                  \
	X(E_DRIFT, -16, "the migrations and the history of the database disagree")                 \
	X(E_REPAIR, -17, "a migration stopped halfway, and a person has to look")                  \
	X(E_REFUSED, -18, "the database refused the statement")                                    \
	X(E_RESTORED, -19, "the source of the message was restored, or is another one")

enum dblock_outcome {
#define X(name, value, text) DBLOCK_##name = (value),
	DBLOCK_OUTCOME_MAP(X)
#undef X
};

/**
 * Error detail. The caller owns it and passes it as last argument; NULL where it is not wanted.
 * It is written only when the call returns something other than DBLOCK_OK.
 * Frozen.
 */
struct dblock_error {
	int code;         /**< the outcome, as returned */
	int native;       /**< errno, SQLite result code or MySQL error number; 0 if none */
	char sqlstate[6]; /**< SQLSTATE where the database has one, else "" */
	/** In English: what, and the next step; never a password. One line, but of the calls on
	 * migrations several: see dblock/migrate.h. */
	char message[2048];
};

/** The outcome's name, as in the source: "DBLOCK_BUSY". Static; thread-safe; no round trip. */
DBLOCK_API const char *dblock_outcome_name(int code);

/** The outcome's text: "somebody else holds the lock". Static; thread-safe; no round trip. */
DBLOCK_API const char *dblock_outcome_text(int code);

#ifdef __cplusplus
}
#endif
#endif
