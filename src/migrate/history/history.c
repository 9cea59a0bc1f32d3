/* SPDX-License-Identifier: MIT */
#include "migrate/history/history.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"

static int run_on_db(void *on, struct dbl_request *request, struct dblock_error *err)
{
	return dbl_db_run(on, request, err);
}

struct dbl_runner dbl_runner_db(struct dbl_db *db, const struct dbl_target *target,
				const char *scope, int64_t deadline)
{
	return (struct dbl_runner){run_on_db, db, target, scope, deadline};
}

static int take_answer(void *answer, const struct dbl_value *row)
{
	*(int64_t *)answer = row[0].i;
	return 0;
}

int dbl_ask(struct dbl_runner on, enum dbl_op op, struct dbl_args args, int64_t *answer,
	    struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .row = take_answer, .ctx = answer, .deadline = on.deadline};

	*answer = 0;
	return on.run(on.on, &request, err);
}

struct text {
	char *to;
	size_t room;
};

static void copy(char *to, size_t room, const struct dbl_value *from)
{
	snprintf(to, room, "%.*s", (int)from->len, from->text);
}

static int take_text(void *ctx, const struct dbl_value *row)
{
	struct text *text = ctx;

	copy(text->to, text->room, &row[0]);
	return 0;
}

int dbl_ask_text(struct dbl_runner on, enum dbl_op op, struct dbl_args args, char *to, size_t room,
		 struct dblock_error *err)
{
	struct text text = {to, room};
	struct dbl_request request = {
		.op = op, .args = args, .row = take_text, .ctx = &text, .deadline = on.deadline};

	*to = '\0';
	return on.run(on.on, &request, err);
}

bool dbl_is_shape_error(int rc)
{
	return rc == DBLOCK_E_SCHEMA || rc == DBLOCK_E_BUG;
}

/* Fails since there is a table of that name (behind the prefix) that is not ours. */
static int foreign_table(const struct dbl_target *target, const char *table,
			 struct dblock_error *err)
{
	const struct dbl_names *names = &target->names;

	/* The name is written as the user would type it. */
	dbl_err_prefix(err,
		       "table %s%s%s%s is there, but it is not dblock's; rename it, or choose "
		       "another --prefix",
		       names->schema, *names->schema ? "." : "", names->prefix, table);
	if (err)
		err->code = DBLOCK_E_SCHEMA;
	return DBLOCK_E_SCHEMA;
}

static int table_exists(struct dbl_runner on, const char *table, bool *there,
			struct dblock_error *err)
{
	const struct dbl_names *names = &on.target->names;
	char name[DBL_PREFIX_MAX + 16];
	int64_t answer;
	int rc;

	snprintf(name, sizeof(name), "%s%s", names->prefix, table);
	rc = dbl_ask(on, DBL_OP_migration_exists,
		     DBL_ARGS_OF(dbl_text(names->schema), dbl_text(name)), &answer, err);
	*there = answer != 0;
	return rc;
}

static const char *const states[] = {"applied", "running", "failed", "reverting"};
enum { STATES = sizeof(states) / sizeof(states[0]) };

const char *dbl_row_state_text(enum dbl_row_state state)
{
	return states[state];
}

static bool text_is(const struct dbl_value *value, const char *text)
{
	return value->len == strlen(text) && memcmp(value->text, text, value->len) == 0;
}

/* A state that we do not know, as a newer dblock may have written it, counts as not applied. */
static enum dbl_row_state read_state(const struct dbl_value *value)
{
	for (unsigned i = 0; i < STATES; i++) {
		if (text_is(value, states[i]))
			return (enum dbl_row_state)i;
	}
	return DBL_ROW_RUNNING;
}

static void read_row(struct dbl_past *past, const struct dbl_value *row)
{
	*past = (struct dbl_past){
		.version = row[0].i,
		.seq = row[1].i,
		.baseline = text_is(&row[3], "baseline"),
		.state = read_state(&row[4]),
		.steps = row[5].i,
		.begun = row[6].i,
		.done = row[7].i,
		.started = row[9].i,
		.finished = row[10].i,
	};
	copy(past->name, sizeof(past->name), &row[2]);
	copy(past->checksum, sizeof(past->checksum), &row[8]);
	copy(past->by, sizeof(past->by), &row[11]);
	copy(past->prefix, sizeof(past->prefix), &row[12]);
	copy(past->error, sizeof(past->error), &row[13]);
	copy(past->token_checksum, sizeof(past->token_checksum), &row[14]);
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct dbl_history *history = ctx;
	struct dbl_past *rows = history->rows;
	size_t n = history->n;

	/* A link that lost its connection sends the request again, from the first row on. */
	while (n > 0 && rows[n - 1].version >= row[0].i)
		n--;
	if ((n & (n - 1)) == 0) /* twice the room, at each power of two */
		rows = dbl_realloc(rows, (n ? 2 * n : 1) * sizeof(*rows));
	if (!rows)
		return DBLOCK_E_NOMEM;
	history->rows = rows;
	history->n = n + 1;
	read_row(&rows[n], row);
	return 0;
}

static int list(struct dbl_runner on, int64_t first, int64_t last, struct dbl_history *history,
		struct dblock_error *err)
{
	struct dbl_request request = {
		.op = DBL_OP_migration_list,
		.args = DBL_ARGS_OF(dbl_text(on.scope), dbl_int(first), dbl_int(last)),
		.row = take_row,
		.ctx = history,
		.deadline = on.deadline,
	};
	int rc = on.run(on.on, &request, err);

	if (rc == DBLOCK_E_NOMEM)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return dbl_is_shape_error(rc) ? foreign_table(on.target, "migration", err) : rc;
}

/* Finds out why the table is not seen: it may be in another schema, or we may lack a right. */
static int look_elsewhere(struct dbl_runner on, struct dbl_history *history,
			  struct dblock_error *err)
{
	const struct dbl_names *names = &on.target->names;
	char table[DBL_PREFIX_MAX + 16];
	int rc;

	/* This looks for the lock table: an application may have a history without our tables. */
	snprintf(table, sizeof(table), "%slock", names->prefix);
	rc = dbl_ask_text(on, DBL_OP_migration_elsewhere,
			  DBL_ARGS_OF(dbl_text(names->schema), dbl_text(table)), history->elsewhere,
			  sizeof(history->elsewhere), err);
	if (rc == DBLOCK_E_DENIED)
		dbl_err_suffix(err,
			       "; or, if dblock's tables are not there yet, run 'dblock schema "
			       "up' as who may make them");
	return dbl_is_shape_error(rc) || rc == DBLOCK_E_INVALID ? 0 : rc;
}

int dbl_history_read(struct dbl_runner on, struct dbl_history *history, struct dblock_error *err)
{
	int rc;

	dbl_history_free(history);
	rc = table_exists(on, "migration", &history->there, err);
	if (rc == 0)
		rc = history->there ? list(on, 0, INT64_MAX, history, err)
				    : look_elsewhere(on, history, err);
	return rc;
}

void dbl_history_free(struct dbl_history *history)
{
	dbl_free(history->rows);
	*history = (struct dbl_history){0};
}

int dbl_history_row(struct dbl_runner on, int64_t version, struct dbl_past *past, bool *there,
		    struct dblock_error *err)
{
	struct dbl_history one = {0};
	int rc = list(on, version, version, &one, err);

	*there = rc == 0 && one.n == 1;
	if (*there)
		*past = one.rows[0];
	dbl_history_free(&one);
	return rc;
}

void dbl_past_take(struct dbl_past *past, const struct dbl_script *up)
{
	memcpy(past->checksum, up->checksum, sizeof(past->checksum));
	memcpy(past->token_checksum, up->token_checksum, sizeof(past->token_checksum));
}

struct dbl_past dbl_past_of(const struct dbl_file *file, enum dbl_row_state state, const char *by)
{
	struct dbl_past past = {.version = file->version, .state = state};

	snprintf(past.name, sizeof(past.name), "%s", file->name);
	snprintf(past.by, sizeof(past.by), "%s", by);
	dbl_past_take(&past, &file->up);
	return past;
}

const struct dbl_past *dbl_history_find(const struct dbl_history *history, int64_t version)
{
	for (size_t i = 0; i < history->n; i++) {
		if (history->rows[i].version == version)
			return &history->rows[i];
	}
	return NULL;
}

int64_t dbl_history_last(const struct dbl_history *history)
{
	for (size_t i = history->n; i > 0; i--) {
		if (history->rows[i - 1].state == DBL_ROW_APPLIED &&
		    !dbl_is_repeatable(history->rows[i - 1].version))
			return history->rows[i - 1].version;
	}
	return 0;
}

/* If two processes create a table at a time, PostgreSQL's IF NOT EXISTS lets the slower one fail on
 * the unique index of one of its catalogs. */
int dbl_history_make(struct dbl_db *db, struct dbl_runner on, struct dblock_error *err)
{
	bool there;
	int rc = table_exists(on, "migration", &there, err);

	if (rc == 0 && !there)
		rc = dbl_db_script(db, DBL_OP_migration_table, on.deadline, err);
	if (rc && (strcmp(err->sqlstate, "23505") == 0 || strcmp(err->sqlstate, "42P07") == 0 ||
		   strcmp(err->sqlstate, "42710") == 0))
		rc = err->code = DBLOCK_E_CONFLICT;
	if (rc == DBLOCK_E_SCHEMA || rc == DBLOCK_E_INVALID)
		dbl_err_suffix(err,
			       "; create that first, or choose another --schema (in a program: "
			       "the option schema)");
	return rc;
}

/* ---- the library's own tables --------------------------------------------------------------- */

static const struct {
	enum dbl_op op;
	const char *table;
} shapes[] = {
	{DBL_OP_shape_session, "session"},
	{DBL_OP_shape_lock, "lock"},
	{DBL_OP_shape_floor, "floor"},
	{DBL_OP_shape_queue, "queue"},
	{DBL_OP_shape_once, "once"},
	{DBL_OP_shape_request, "request"},
	{DBL_OP_shape_flight, "flight"},
	{DBL_OP_shape_revocation, "revocation"},
	{DBL_OP_shape_suspect, "suspect"},
	{DBL_OP_shape_history, "history"},
	{DBL_OP_shape_event, "event"},
	{DBL_OP_shape_quorum, "quorum"},
	{DBL_OP_shape_guard, "guard"},
	{DBL_OP_shape_outbox_key, "outbox_key"},
	{DBL_OP_shape_outbox, "outbox"},
	{DBL_OP_shape_inbox, "inbox"},
	{DBL_OP_shape_outbox_failure, "outbox_failure"},
	{DBL_OP_shape_decision, "decision"},
	{DBL_OP_shape_branch, "branch"},
	{DBL_OP_shape_pool, "pool"},
	{DBL_OP_shape_permit, "permit"},
	{DBL_OP_shape_rate, "rate"},
	{DBL_OP_shape_latch, "latch"},
};

int dbl_shape_check(struct dbl_runner on, struct dblock_error *err)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct dbl_request request = {.op = shapes[i].op, .deadline = on.deadline};
		bool there;
		int rc = table_exists(on, shapes[i].table, &there, err);

		if (rc == 0 && there)
			rc = on.run(on.on, &request, err);
		if (rc)
			return dbl_is_shape_error(rc)
				       ? foreign_table(on.target, shapes[i].table, err)
				       : rc;
	}
	return 0;
}
