/* SPDX-License-Identifier: MIT */
/* A request on its way, and then its answer. The sender may be gone before the answer arrives. */
#ifndef TESTS_SIM_LETTER_H
#define TESTS_SIM_LETTER_H

#include <stdbool.h>

#include "sim/coroutine.h"
#include "sql/op.h"

enum { LETTER_CONNECT = DBL_OP_COUNT, LETTER_SCRIPT /* a text that is no operation */ };

enum letter_answer {
	LETTER_SILENT,  /* no answer so far */
	LETTER_DONE,    /* rc, changed and rows are the outcome */
	LETTER_REFUSED, /* it never left: nothing was carried out */
	LETTER_CUT      /* the connection was reset: nobody knows */
};

/* Which part of an operation's text: see src/sql/ops.def. */
enum letter_part {
	PART_FIRST,
	PART_AND,
	PART_MET,
	PART_ELSE,
	PART_THEN,
	PART_ANSWER,
	PART_ALSO,
	PARTS
};

enum { TEXTS_MAX = 8000 }; /* the reaper names a page of sessions */

struct server;

struct letter {
	struct letter *next; /* list of all */
	struct letter *free;
	int users;

	int op;
	bool reads;
	bool trying;   /* sent by a call that does not wait */
	bool breaking; /* sent by a call that takes a grant away: */
	bool forced;   /* by force */
	int64_t takes; /* that token; 0: whichever holds it */
	bool second;   /* the second write of an operation that has two */
	enum letter_part part;
	char *sql; /* LETTER_SCRIPT only; a copy, as the sender may be gone */
	size_t room_sql;
	unsigned n;
	struct dbl_value args[DBL_ARGS_MAX];
	char *texts; /* of TEXTS_MAX bytes, for the arguments */

	/* The sender. */
	struct process *process;
	struct coroutine *sender; /* NULL: nobody waits any more */
	uint64_t ticket;          /* the wait's */
	struct server *to;
	uint64_t conn, start; /* the connection, and the server's start that it was made to */
	uint64_t cuts_then;   /* the way's `cuts` when the connection was made */
	bool in_transaction;

	/* Its fate. */
	bool loses_reply, cuts;
	int64_t waited; /* us for another one's transaction */

	enum letter_answer answer;
	int rc;
	int64_t changed;
	bool met; /* see struct dbl_stmt */
	const char *message;
	unsigned columns;
	struct dbl_value *values; /* of all rows, in a line; a text's `i` is its place in bytes */
	size_t n_values, room_values, at;
	char *bytes;
	size_t n_bytes, room_bytes;
};

struct letter *letter_new(void); /* it has one user */
void letter_drop(struct letter *);
void letter_drop_all(void); /* at the end of a world */

/* Copies the text of a script. */
void letter_set_sql(struct letter *, const char *sql);

/* Copies the arguments. */
void letter_set_args(struct letter *, const struct dbl_value *, unsigned n);

void letter_add_value(struct letter *, struct dbl_value);

/* Does the same as a driver's next(). */
int letter_next(struct letter *, struct dbl_value *row, unsigned n);

/* It ends a grant, and may give the lock to who waits. */
static inline bool letter_hands_over(const struct letter *l)
{
	return l->op == DBL_OP_hand_over || l->op == DBL_OP_pass_on;
}

#endif
