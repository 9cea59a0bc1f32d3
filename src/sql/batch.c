/* SPDX-License-Identifier: MIT */
#include "sql/batch.h"

#include <string.h>

#include "driver/value.h"
#include "sql/batch_text.h"
#include "sql/own.h"

/* A member with less time than this goes alone, as all members share one deadline. */
#define LEAST_US 1000000LL

/* The numbers of batch.sql's arguments: those that are the same for all members, then lists. */
enum { WHAT = DBL_BATCH_SCALARS + 1, NAME };

/* For each operation that can be a member: its number in batch.sql, and which of batch.sql's
 * arguments each of its own is. */
static const struct joins {
	unsigned char what, places[DBL_ARGS_MAX];
} joins[DBL_OP_COUNT] = {
#define JOINS(name, what, ...) [DBL_OP_##name] = {what, {__VA_ARGS__}},
#include "sql/ops.def"
};

/* The member's value for that argument of batch.sql; NULL's value if it has none. */
static const struct dbl_value *value_at(const struct dbl_member *member, int place)
{
	static const struct dbl_value none;
	const unsigned char *places = joins[member->request->op].places;
	const unsigned char *at = memchr(places, place, DBL_ARGS_MAX);

	return at ? &member->request->args.list[at - places] : &none;
}

static bool is_batched(const struct dbl_member *member)
{
	const struct dbl_request *request = member->request;

	return request && joins[request->op].places[0] &&
	       request->args.n >= dbl_op_takes(request->op);
}

static bool takes(const struct dbl_member *member, int64_t now)
{
	return is_batched(member) && !member->singly && member->request->deadline >= now + LEAST_US;
}

static bool is_same(const struct dbl_value *a, const struct dbl_value *b)
{
	if (a->type != b->type || a->type == DBL_NULL)
		return a->type == b->type;
	if (a->type == DBL_INT)
		return a->i == b->i;
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* May these two not be in one statement? It writes a row only once, and is for one client. */
static bool is_apart(const struct dbl_member *a, const struct dbl_member *b)
{
	if (is_same(value_at(a, NAME), value_at(b, NAME)))
		return true;
	for (int place = 1; place < WHAT; place++) {
		const struct dbl_value *x = value_at(a, place), *y = value_at(b, place);

		if (x->type != DBL_NULL && y->type != DBL_NULL && !is_same(x, y))
			return true;
	}
	return false;
}

bool dbl_batch_joins(const struct dbl_target *target, struct dbl_member *const *members, unsigned n,
		     const struct dbl_member *member, int64_t now)
{
	if (!takes(member, now) || (n && !takes(members[0], now)))
		return false;
	if (target->dialect->batch == DBL_BATCH_SINGLY)
		return true;
	for (unsigned i = 0; i < n; i++) {
		if (is_apart(members[i], member))
			return false;
	}
	return true;
}

bool dbl_batch_other_half(const struct dbl_member *member)
{
	const struct dbl_value *name;
	uint32_t hash = 2166136261U; /* FNV-1a */

	if (!is_batched(member))
		return false;
	name = value_at(member, NAME);
	for (size_t i = 0; i < name->len; i++)
		hash = (hash ^ (unsigned char)name->text[i]) * 16777619U;
	return (hash >> 16 ^ hash >> 8) & 1;
}

int64_t dbl_batch_deadline(struct dbl_member *const *members, unsigned n)
{
	int64_t deadline = DBL_NEVER;

	for (unsigned i = 0; i < n; i++)
		deadline = dbl_least(deadline, members[i]->request->deadline);
	return deadline;
}

/* If the connection is lost, that is everybody's outcome. Else nothing was done, and each member
 * finds out alone why. */
void dbl_batch_fail(struct dbl_member *const *members, unsigned n, int rc,
		    const struct dblock_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		members[i]->rc = rc;
		members[i]->apart = n > 1 && rc != DBLOCK_E_UNSURE && rc != DBLOCK_E_UNAVAILABLE;
		if (members[i]->err)
			*members[i]->err = *err;
	}
}

/* ---- one by one ----------------------------------------------------------------------------- */

/* The answer to a member, which is handed over only after the commit: else its caller would believe
 * in a token that was rolled back. */
struct answer {
	int64_t value; /* of the operation's one column, if it has one */
	int64_t rows;
};

static int keep(void *ctx, const struct dbl_value *row)
{
	struct answer *answer = ctx;

	answer->value = row[0].i;
	answer->rows++;
	return 0;
}

/* Run all members within the transaction. Not 0: it must not be committed. */
static int run_each(struct dbl_db *db, struct dbl_member *const *members, unsigned n,
		    struct answer *answers, struct dblock_error *err)
{
	for (unsigned i = 0; i < n; i++) {
		struct dbl_request request = *members[i]->request;
		int rc;

		request.row = keep;
		request.ctx = &answers[i];
		rc = dbl_db_run(db, &request, err);
		members[i]->request->changed = request.changed;
		if (rc)
			return dbl_db_undone(db, rc, request.deadline, err);
	}
	return 0;
}

static void tell(struct dbl_member *member, const struct answer *answer)
{
	struct dbl_request *request = member->request;
	struct dbl_value row = dbl_int(answer->value);

	member->apart = false;
	request->rows = answer->rows;
	if (answer->rows)
		member->rc = request->row(request->ctx, &row);
}

static int run_singly(struct dbl_db *db, struct dbl_member *const *members, unsigned n,
		      int64_t deadline, struct dblock_error *err)
{
	struct answer answers[DBL_BATCH_MAX] = {{0}};
	int rc = dbl_db_begin(db, deadline, err);

	if (rc)
		return dbl_db_undone(db, rc, deadline, err);
	rc = run_each(db, members, n, answers, err);
	rc = dbl_db_end(db, rc, deadline, err);
	for (unsigned i = 0; i < n && rc == 0; i++)
		tell(members[i], &answers[i]);
	return rc;
}

/* ---- in one statement ----------------------------------------------------------------------- */

/* The value of an argument that is the same for all: that of the first member which has one. */
static struct dbl_value scalar(struct dbl_member *const *members, unsigned n, int place)
{
	struct dbl_value value = dbl_null();

	for (unsigned m = 0; m < n && value.type == DBL_NULL; m++)
		value = *value_at(members[m], place);
	return value;
}

static void fill(struct dbl_batch_table *table, struct dbl_member *const *members, unsigned n)
{
	table->n = n;
	for (unsigned m = 0; m < n; m++) {
		table->cells[m][0] = dbl_int(joins[members[m]->request->op].what);
		for (int i = 1; i < DBL_BATCH_COLUMNS; i++)
			table->cells[m][i] = *value_at(members[m], WHAT + i);
	}
}

static bool gives_row(const struct dbl_member *member)
{
	return dbl_ops[member->request->op].columns[0];
}

struct outcomes {
	struct dbl_member **members;
	unsigned n;
	int64_t n_done;
};

/* Take one row of the answer: number, done, token. */
static int take_outcome(void *ctx, const struct dbl_value *row)
{
	struct outcomes *outcomes = ctx;
	struct dbl_member *member;

	if (row[0].i < 1 || row[0].i > (int64_t)outcomes->n)
		return DBLOCK_E_SCHEMA;
	member = outcomes->members[row[0].i - 1];
	member->apart = false;
	member->request->changed = row[1].i;
	outcomes->n_done += row[1].i;
	if (!row[1].i || !gives_row(member))
		return 0;
	member->request->rows = 1;
	return member->request->row(member->request->ctx, &row[2]);
}

/* Where a second statement reads the outcomes, a grant that is gone may have been gone before the
 * first one: that is so if fewer rows were changed than look done. */
static void doubt_releases(const struct outcomes *outcomes, int64_t changed)
{
	for (unsigned i = 0; outcomes->n_done != changed && i < outcomes->n; i++) {
		struct dbl_member *member = outcomes->members[i];

		if (member->apart || gives_row(member))
			continue;
		member->gone = true;
		member->rc = dbl_fail(member->err, DBLOCK_E_UNSURE,
				      "it is gone; it may have been gone before");
	}
}

/* Sort the members by name: two clients whose statements wait for each other's rows then meet at
 * the first of them, and cause no deadlock. */
static void sort(struct dbl_member *to[DBL_BATCH_MAX], struct dbl_member *const *members,
		 unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		for (; at && strcmp(value_at(members[i], NAME)->text,
				    value_at(to[at - 1], NAME)->text) < 0;
		     at--)
			to[at] = to[at - 1];
		to[at] = members[i];
	}
}

static int run_together(struct dbl_db *db, struct dbl_member *const *given, unsigned n,
			int64_t deadline, struct dblock_error *err)
{
	struct dbl_member *members[DBL_BATCH_MAX];
	struct dbl_value args[DBL_BATCH_ARGS];
	struct outcomes outcomes = {members, n, 0};
	struct dbl_request request = {.op = DBL_OP_batch,
				      .args = DBL_ARGS(args),
				      .row = take_outcome,
				      .ctx = &outcomes,
				      .deadline = deadline};
	struct dbl_batch_table table;
	int rc;

	sort(members, given, n);
	fill(&table, members, n);
	for (int place = 1; place < WHAT; place++)
		args[place - 1] = scalar(members, n, place);
	if (!dbl_batch_write(&db->batch, db->head.target->dialect->batch, &table,
			     args + DBL_BATCH_SCALARS))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_db_run(db, &request, err);
	if (rc == 0 && db->head.target->dialect->batch == DBL_BATCH_ROWS)
		doubt_releases(&outcomes, request.changed);
	return rc;
}

void dbl_batch_run(struct dbl_db *db, struct dbl_member *const *members, unsigned n)
{
	int64_t deadline = dbl_batch_deadline(members, n);
	struct dblock_error err = {0};
	int rc;

	for (unsigned i = 0; i < n; i++) {
		members[i]->apart = true;
		members[i]->gone = false;
		members[i]->rc = 0;
		members[i]->request->rows = members[i]->request->changed = 0;
	}
	rc = (db->head.target->dialect->batch == DBL_BATCH_SINGLY ? run_singly : run_together)(
		db, members, n, deadline, &err);
	if (rc)
		dbl_batch_fail(members, n, rc, &err);
}
