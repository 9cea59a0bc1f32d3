/* SPDX-License-Identifier: MIT */
/* What the files of src/sql share: the inside of a connection. */
#ifndef DBL_SQL_OWN_H
#define DBL_SQL_OWN_H

#include <ctype.h>

#include "base/str.h"
#include "sql/db.h"
#include "sql/words.h"

/* The parts of an operation's text, in this order: see ops.def. */
enum dbl_part { DBL_FIRST, DBL_MET, DBL_ELSE, DBL_THEN, DBL_AND, DBL_ANSWER, DBL_ALSO, DBL_PARTS };

struct dbl_db {
	struct dbl_db_head head;
	bool adopted;
	enum { DBL_NOT_ASKED, DBL_ONE_SERVER, DBL_CERTIFIED } node; /* see tx_certified */
	struct dbl_stmt *stmts[DBL_OP_COUNT][DBL_PARTS];            /* prepared at first use */
	struct dbl_str kept;  /* texts that were read, until they have been written */
	struct dbl_str batch; /* the arguments of the last batch */
	struct dbl_frame frame;
	char *frame_texts[2]; /* of the frame's, those that are freed with it */
};

/* Run one part of an operation with the request's arguments. */
static inline int dbl_db_run_part(const struct dbl_db *db, const struct dbl_request *request,
				  enum dbl_part part, int64_t *changed, struct dblock_error *err)
{
	DBL_COUNT(db->head.target->tally, statements);
	return db->head.target->driver->run(db->stmts[request->op][part], request->args.list,
					    dbl_op_takes(request->op), changed, err);
}

static inline bool dbl_db_fits(char column, const struct dbl_value *value)
{
	if (value->type == DBL_NULL)
		return isupper((unsigned char)column);
	return value->type == (tolower((unsigned char)column) == 'i' ? DBL_INT : DBL_TEXT);
}

/* Check a row's types and NULLs against `columns`; DBLOCK_E_SCHEMA. */
static inline int dbl_db_check_row(const struct dbl_value *row, const char *columns,
				   struct dblock_error *err)
{
	for (unsigned i = 0; columns[i]; i++) {
		if (!dbl_db_fits(columns[i], &row[i]))
			return dbl_fail(err, DBLOCK_E_SCHEMA,
					"column %u of the answer is of an unexpected type: the "
					"tables are of another shape than dblock's",
					i + 1);
	}
	return 0;
}

/* db.c: run a script, with its words put in (NULL: none). */
int dbl_db_script_with(struct dbl_db *, enum dbl_op, const struct dbl_word *, int64_t deadline,
		       struct dblock_error *err);

/* set_up.c: where the dialect `pools`: the settings of a new connection. Of one for the caller's
 * statements: those behind a pooler, and MySQL's autocommit. */
int dbl_db_set_up(struct dbl_db *, int64_t deadline, struct dblock_error *err);
int dbl_db_set_up_plain(struct dbl_db *, int64_t deadline, struct dblock_error *err);

/* Behind a pooler: what our transactions begin with from now on. */
int dbl_db_frame(struct dbl_db *, enum dblock_durability, struct dblock_error *err);

/* then.c: run an operation that reads, and then writes what it has read. */
/* The part `-- also`, once the rows have been taken: see ops.def. */
void dbl_db_run_also(struct dbl_db *, const struct dbl_request *);

int dbl_db_run_then(struct dbl_db *, struct dbl_request *, struct dblock_error *err);

#endif
