/* SPDX-License-Identifier: MIT */
/* What the files of the strike world share. */
#ifndef TESTS_SUPPORT_STRIKE_OWN_H
#define TESTS_SUPPORT_STRIKE_OWN_H

#include "driver/driver.h"
#include "support/strike.h"

enum { STRIKE_NAMES = 1024 };

/* A statement's operation, by its text: it begins with "-- name:". */
struct strike_named {
	const struct dbl_stmt *stmt;
	enum dbl_op op;
};

/* A request on its way for long, with the connection that it is on its way on. */
struct strike_letter {
	struct dbl_conn *conn; /* NULL: there is none */
	struct dbl_stmt *stmt; /* NULL: text to be executed */
	char *sql;
	struct dbl_value args[DBL_ARGS_MAX];
	unsigned n;
	bool closed; /* by the library */
};

struct strike {
	struct dbl_env env, calm;
	struct dbl_driver driver;
	const struct dbl_driver *real;
	_Atomic int64_t skew;  /* us that our clock is ahead */
	pthread_mutex_t mutex; /* guards what follows */
	enum strike_kind kind;
	bool armed, played, struck, pooled;
	pthread_t player; /* whose calls are struck */
	int left, calls;
	enum dbl_op op; /* that was struck; DBL_OP_COUNT: none of them */
	char what[64];
	char told[64]; /* of `what`, to the test */
	struct strike_letter letter;
	const struct dbl_stmt *_Atomic half; /* whose reply breaks off */
	int half_rows;                       /* that it has given */
	struct strike_named names[STRIKE_NAMES];
	unsigned n_names;
};

/* What stands before the real driver. */
const struct dbl_driver *strike_intercept(void *strike, const struct dbl_driver *real);

/* Is this call to go wrong, and how? STRIKE_KINDS: it is not. `stmt`, if there is one, says which
 * operation it is. */
enum strike_kind strike_decide(struct strike *, enum dbl_op, const struct dbl_stmt *stmt,
			       const char *call);

/* Returns which operation a text is, or DBL_OP_COUNT, and remembers it for a statement. */
enum dbl_op strike_op_of(const char *sql);
void strike_note_name(struct strike *, const struct dbl_stmt *, const char *sql);

/* Keep it until strike_let_go(). */
void strike_keep(struct strike *, struct dbl_conn *, struct dbl_stmt *, const char *sql,
		 const struct dbl_value *args, unsigned n);

/* The clock goes forward to `until`, if it is not past it. */
void strike_jump_to(struct strike *, int64_t until);

#endif
