/* SPDX-License-Identifier: MIT */
#include "migrate/history.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/value.h"

static int run_on_db(void *on, struct dbl_request *request, struct dblock_error *err)
{
	return dbl_db_run(on, request, err);
}

struct dbl_runner dbl_runner_db(struct dbl_db *db, const struct dbl_target *target,
				int64_t deadline)
{
	return (struct dbl_runner){run_on_db, db, target, deadline};
}

static int take_answer(void *ctx, const struct dbl_value *row)
{
	int64_t *answer = ctx;

	*answer = row[0].i;
	return 0;
}

int dbl_ask(const struct dbl_runner *runner, enum dbl_op op, const struct dbl_value *args,
	    int64_t *answer, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op,
		.args = args,
		.row = take_answer,
		.ctx = answer,
		.deadline = runner->deadline,
	};

	*answer = 0;
	return runner->run(runner->on, &request, err);
}

/* The table's name as it would be typed: what the user has to look for. */
static void table_name(const struct dbl_target *target, const char *table, char *out, size_t room)
{
	const struct dbl_names *names = &target->names;

	snprintf(out, room, "%s%s%s%s", names->schema, *names->schema ? "." : "", names->prefix,
		 table);
}

/* A statement that the database understands, but not for this table. */
static bool is_shape_error(int rc)
{
	return rc == DBLOCK_E_SCHEMA || rc == DBLOCK_E_BUG;
}

static int foreign_table(const struct dbl_target *target, const char *table,
			 struct dblock_error *err)
{
	char name[DBL_PREFIX_MAX + 64 + 16];

	table_name(target, table, name, sizeof(name));
	dbl_err_prefix(err,
		       "table %s is there, but it is not dblock's; rename it, or choose another "
		       "--prefix",
		       name);
	if (err)
		err->code = DBLOCK_E_SCHEMA;
	return DBLOCK_E_SCHEMA;
}

static int exists(const struct dbl_runner *runner, bool *there, struct dblock_error *err)
{
	char table[DBL_PREFIX_MAX + 16];
	int64_t answer;
	int rc;

	snprintf(table, sizeof(table), "%smigration", runner->target->names.prefix);
	rc = dbl_ask(runner, DBL_OP_migration_exists,
		     (struct dbl_value[]){dbl_text(runner->target->names.schema), dbl_text(table)},
		     &answer, err);
	*there = answer != 0;
	return rc;
}

static void copy(char *to, size_t room, const struct dbl_value *from)
{
	snprintf(to, room, "%.*s", (int)from->len, from->text);
}

struct reading {
	struct dbl_history *history;
	bool failed;
};

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct reading *reading = ctx;
	struct dbl_history *history = reading->history;
	struct dbl_past *rows, *past;

	rows = dbl_realloc(history->rows, (history->n + 1) * sizeof(*rows));
	reading->failed = !rows;
	if (!rows)
		return DBLOCK_E_NOMEM;
	history->rows = rows;
	/* A link that lost its connection asks again, from the first row. */
	while (history->n > 0 && rows[history->n - 1].version >= row[0].i)
		history->n--;
	past = &rows[history->n++];
	*past = (struct dbl_past){.version = row[0].i, .finished = row[4].i};
	copy(past->name, sizeof(past->name), &row[1]);
	past->applied = row[2].len == 7 && memcmp(row[2].text, "applied", 7) == 0;
	copy(past->checksum, sizeof(past->checksum), &row[3]);
	copy(past->by, sizeof(past->by), &row[5]);
	return 0;
}

int dbl_history_read(const struct dbl_runner *runner, struct dbl_history *history,
		     struct dblock_error *err)
{
	struct dbl_value scope = dbl_text(DBL_MIGRATE_SCOPE);
	struct reading reading = {history, false};
	struct dbl_request request = {
		.op = DBL_OP_migration_list,
		.args = &scope,
		.row = take_row,
		.ctx = &reading,
		.deadline = runner->deadline,
	};
	bool there;
	int rc;

	dbl_history_free(history);
	rc = exists(runner, &there, err);
	if (rc || !there)
		return rc;
	rc = runner->run(runner->on, &request, err);
	if (reading.failed)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return is_shape_error(rc) ? foreign_table(runner->target, "migration", err) : rc;
}

void dbl_history_free(struct dbl_history *history)
{
	dbl_free(history->rows);
	*history = (struct dbl_history){0};
}

/* Two that create one table at the same time: PostgreSQL's IF NOT EXISTS lets the slower one fail
 * on the unique index of one of its catalogs. */
static bool lost_race(const struct dblock_error *err)
{
	return err && (strcmp(err->sqlstate, "23505") == 0 || strcmp(err->sqlstate, "42P07") == 0 ||
		       strcmp(err->sqlstate, "42710") == 0);
}

int dbl_history_make(struct dbl_db *db, const struct dbl_runner *runner, struct dblock_error *err)
{
	struct dblock_error local;
	bool there;
	int rc;

	err = err ? err : &local; /* it decides here */
	rc = exists(runner, &there, err);
	if (rc == 0 && !there)
		rc = dbl_db_script(db, DBL_OP_migration_table, runner->deadline, err);
	if (rc && lost_race(err))
		rc = err->code = DBLOCK_E_CONFLICT;
	if (rc == DBLOCK_E_SCHEMA || rc == DBLOCK_E_INVALID)
		dbl_err_suffix(err, "; create that first, or choose another --schema");
	return rc;
}

/* The version that last changed a table is the first at which its shape can be checked. */
static const struct {
	int64_t version;
	enum dbl_op op;
	const char *table;
} shapes[] = {
	{1, DBL_OP_shape_session, "session"},
	{2, DBL_OP_shape_lock, "lock"},
	{3, DBL_OP_shape_floor, "floor"},
};

int dbl_shape_check(const struct dbl_runner *runner, int64_t version, struct dblock_error *err)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct dbl_request request = {.op = shapes[i].op, .deadline = runner->deadline};
		int rc;

		if (shapes[i].version != version)
			continue;
		rc = runner->run(runner->on, &request, err);
		if (rc)
			return is_shape_error(rc)
				       ? foreign_table(runner->target, shapes[i].table, err)
				       : rc;
	}
	return 0;
}
