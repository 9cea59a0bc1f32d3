/* SPDX-License-Identifier: MIT */
#include "sql/batch.h"

#include <string.h>

#include "driver/value.h"
#include "sql/batch_text.h"
#include "sql/own.h"

/* Who has less time than this goes alone: all members share one deadline. */
#define LEAST_US 1000000LL

#define NONE     (-1)

/* What batch.sql can do: where its arguments come from, by the places of the operation's own. */
static const struct shape {
	enum dbl_op op;
	signed char scalars[DBL_BATCH_SCALARS]; /* session, host, pid */
	signed char lists[DBL_BATCH_LISTS]; /* name, token, nonce, thread, lease, at_least, value,
					       barge, replaces */
} shapes[] = {
	{DBL_OP_release, {NONE, NONE, NONE}, {0, 1, 2, NONE, NONE, NONE, NONE, NONE, NONE}},
	{DBL_OP_acquire, {2, 3, 4}, {0, NONE, 1, 5, 6, 7, 8, 9, 10}},
};

static const struct shape *shape_of(const struct dbl_member *member)
{
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (member->request && shapes[i].op == member->request->op)
			return member->request->args.n < dbl_op_takes(shapes[i].op) ? NULL
										    : &shapes[i];
	}
	return NULL;
}

static bool takes(const struct dbl_member *member, int64_t now)
{
	return shape_of(member) && member->company != DBL_ALONE &&
	       member->request->deadline >= now + LEAST_US;
}

static bool is_same(const struct dbl_value *a, const struct dbl_value *b)
{
	if (a->type != b->type || a->type == DBL_NULL)
		return a->type == b->type;
	if (a->type == DBL_INT)
		return a->i == b->i;
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

enum dbl_company dbl_batch_company_after(const struct dbl_target *target,
					 const struct dbl_member *member)
{
	bool may_be_new = member->company == DBL_WITH_OTHERS &&
			  target->dialect->batch != DBL_BATCH_SINGLY &&
			  member->request->op == DBL_OP_acquire;

	return may_be_new ? DBL_WITH_THE_NEW : DBL_ALONE;
}

/* A statement writes a row once, and knows one client. */
static bool is_apart(const struct dbl_member *a, const struct dbl_member *b)
{
	const struct shape *x = shape_of(a), *y = shape_of(b);

	if (a->company != b->company ||
	    is_same(&a->request->args.list[x->lists[0]], &b->request->args.list[y->lists[0]]))
		return true;
	for (unsigned i = 0; i < DBL_BATCH_SCALARS; i++) {
		if (x->scalars[i] != NONE && y->scalars[i] != NONE &&
		    !is_same(&a->request->args.list[x->scalars[i]],
			     &b->request->args.list[y->scalars[i]]))
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
	const struct shape *shape = shape_of(member);
	const struct dbl_value *name;
	uint32_t hash = 2166136261U; /* FNV-1a */

	if (!shape)
		return false;
	name = &member->request->args.list[shape->lists[0]];
	for (size_t i = 0; i < name->len; i++)
		hash = (hash ^ (unsigned char)name->text[i]) * 16777619U;
	return (hash >> 16 ^ hash >> 8) & 1;
}

int64_t dbl_batch_deadline(struct dbl_member *const *members, unsigned n)
{
	int64_t deadline = DBL_NEVER;

	for (unsigned i = 0; i < n; i++) {
		if (members[i]->request->deadline < deadline)
			deadline = members[i]->request->deadline;
	}
	return deadline;
}

/* It is the connection's fault; or it is known that nothing was done, and each has to find out for
 * itself why. */
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

/* What a member was answered. It hears of that only once it is committed: else it would believe a
 * token that was rolled back. */
struct answer {
	int64_t value; /* the one column that such an operation may have */
	int64_t rows;
};

static int keep(void *ctx, const struct dbl_value *row)
{
	struct answer *answer = ctx;

	answer->value = row[0].i;
	answer->rows++;
	return 0;
}

/* Within the transaction. Not 0: it is not to be committed. */
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

/* The first of them that says it says it for all. */
static struct dbl_value scalar(struct dbl_member *const *members, unsigned n, unsigned i)
{
	for (unsigned m = 0; m < n; m++) {
		int at = shape_of(members[m])->scalars[i];

		if (at != NONE)
			return members[m]->request->args.list[at];
	}
	return dbl_null();
}

static void fill(struct dbl_batch_table *table, struct dbl_member *const *members, unsigned n)
{
	table->n = n;
	for (unsigned m = 0; m < n; m++) {
		const struct shape *shape = shape_of(members[m]);
		const struct dbl_value *args = members[m]->request->args.list;

		table->cells[m][0] = dbl_int(shape - shapes);
		for (unsigned i = 0; i < DBL_BATCH_LISTS; i++)
			table->cells[m][i + 1] =
				shape->lists[i] == NONE ? dbl_null() : args[shape->lists[i]];
	}
}

struct outcomes {
	struct dbl_member **members;
	unsigned n;
	int64_t n_done;
};

/* One row of the answer: place, done, token. */
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
	if (!row[1].i || !dbl_ops[member->request->op].columns[0])
		return 0;
	member->request->rows = 1;
	return member->request->row(member->request->ctx, &row[2]);
}

/* Where the outcomes are read by another statement, a grant that is gone may have been gone before:
 * then fewer rows were changed than look done. */
static void doubt_releases(const struct outcomes *outcomes, int64_t changed)
{
	for (unsigned i = 0; outcomes->n_done != changed && i < outcomes->n; i++) {
		struct dbl_member *member = outcomes->members[i];

		if (member->apart || member->request->op != DBL_OP_release)
			continue;
		member->rc = dbl_fail(member->err, DBLOCK_E_UNSURE,
				      "it is gone; it may have been gone before");
	}
}

/* In the order of their names: two clients that wait for each other's rows, where a statement waits
 * at all, meet at the first of them. */
static void sort(struct dbl_member *to[DBL_BATCH_MAX], struct dbl_member *const *members,
		 unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		for (; at && strcmp(members[i]->request->args.list[0].text,
				    to[at - 1]->request->args.list[0].text) < 0;
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
	struct dbl_request request = {.op = given[0]->company == DBL_WITH_THE_NEW ? DBL_OP_batch_new
										  : DBL_OP_batch,
				      .args = DBL_ARGS(args),
				      .row = take_outcome,
				      .ctx = &outcomes,
				      .deadline = deadline};
	struct dbl_batch_table table;
	int rc;

	sort(members, given, n);
	fill(&table, members, n);
	for (unsigned i = 0; i < DBL_BATCH_SCALARS; i++)
		args[i] = scalar(members, n, i);
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
		members[i]->rc = 0;
		members[i]->request->rows = members[i]->request->changed = 0;
	}
	rc = (db->head.target->dialect->batch == DBL_BATCH_SINGLY ? run_singly : run_together)(
		db, members, n, deadline, &err);
	if (rc)
		dbl_batch_fail(members, n, rc, &err);
}
