/* SPDX-License-Identifier: MIT */
#include "row/rows_shape.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/sqlscan.h"

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
	struct dbl_rows_shape *shape;
	const char *const *key;
	unsigned n_key;
	/* The index whose columns are being read. */
	char index[260];
	bool covered;
	bool failed; /* memory ran out */
};

static const struct {
	const char *type;
	enum dbl_column_kind kind;
} kinds[] = {
	{"tinyint", DBL_COLUMN_INTEGER},   {"smallint", DBL_COLUMN_INTEGER},
	{"mediumint", DBL_COLUMN_INTEGER}, {"int", DBL_COLUMN_INTEGER},
	{"bigint", DBL_COLUMN_INTEGER},    {"decimal", DBL_COLUMN_DECIMAL},
	{"char", DBL_COLUMN_TEXT},         {"varchar", DBL_COLUMN_TEXT},
	{"binary", DBL_COLUMN_BYTES},      {"varbinary", DBL_COLUMN_BYTES},
	{"date", DBL_COLUMN_DATE},         {"datetime", DBL_COLUMN_TIME},
	{"timestamp", DBL_COLUMN_TIME},    {"uuid", DBL_COLUMN_UUID},
};

static enum dbl_column_kind kind_of(const char *type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].type, type) == 0)
			return kinds[i].kind;
	}
	return DBL_COLUMN_OTHER;
}

static void copy(char *to, size_t room, const struct dbl_value *from)
{
	snprintf(to, room, "%.*s", from->type == DBL_TEXT ? (int)from->len : 0,
		 from->type == DBL_TEXT && from->len ? from->text : "");
}

static bool is(const struct dbl_value *value, const char *text)
{
	return value->type == DBL_TEXT && value->len == strlen(text) &&
	       strncasecmp(value->text, text, value->len) == 0;
}

/* Returns the index of the key's column of that name, or -1. MySQL ignores the case of columns. */
static int find(const struct reading *reading, const struct dbl_value *name)
{
	for (unsigned i = 0; i < reading->n_key; i++) {
		if (is(name, reading->key[i]))
			return (int)i;
	}
	return -1;
}

static bool is_word(const char *text)
{
	while (*text && dbl_sql_is_word(*text))
		text++;
	return !*text;
}

static void read_column(struct reading *reading, const struct dbl_value *row)
{
	struct dbl_rows_shape *shape = reading->shape;
	int at = find(reading, &row[1]);
	struct dbl_column *column;

	shape->found = true;
	shape->is_view = row[5].type == DBL_NULL;
	shape->is_innodb = is(&row[5], "InnoDB");
	shape->rolls_back = row[8].i != 0;
	if (at < 0)
		return;
	column = &shape->columns[at];
	copy(column->type, sizeof(column->type), &row[2]);
	copy(column->charset, sizeof(column->charset), &row[3]);
	copy(column->collation, sizeof(column->collation), &row[4]);
	column->kind = kind_of(column->type);
	if (!is_word(column->charset) || !is_word(column->collation))
		column->kind = DBL_COLUMN_OTHER;
}

/* Ends the reading of one index, and keeps it if rows can be found by it; the primary key is
 * preferred. */
static void end_index(struct reading *reading)
{
	struct dbl_rows_shape *shape = reading->shape;
	bool primary = strcmp(reading->index, "PRIMARY") == 0;

	if (!reading->index[0] || !reading->covered || (shape->index && !primary))
		return;
	dbl_free(shape->index);
	shape->index = dbl_strdup(reading->index);
	shape->is_primary = primary;
	reading->failed = reading->failed || !shape->index;
}

static void read_index(struct reading *reading, const struct dbl_value *row)
{
	if (!is(&row[2], reading->index)) {
		end_index(reading);
		copy(reading->index, sizeof(reading->index), &row[2]);
		reading->covered = true;
	}
	reading->covered = reading->covered && row[8].i && find(reading, &row[1]) >= 0;
}

static int read_row(void *ctx, const struct dbl_value *row)
{
	struct reading *reading = ctx;
	char version[80]; /* for example "10.11.4-MariaDB-log" */

	copy(version, sizeof(version), &row[6]);
	reading->shape->is_mariadb = strstr(version, "MariaDB") != NULL;
	if (row[0].i == 0)
		read_column(reading, row);
	else
		read_index(reading, row);
	return 0;
}

static int read_shape(struct dbl_rows_job *job, struct reading *reading, const char *table,
		      struct dblock_error *err)
{
	char *schema, *name;
	int rc = dbl_quote_split(table, &schema, &name, err);

	if (rc == 0) {
		struct dbl_value args[] = {{.type = schema ? DBL_TEXT : DBL_NULL,
					    .text = schema,
					    .len = schema ? strlen(schema) : 0},
					   {.type = DBL_TEXT, .text = name, .len = strlen(name)}};
		struct dbl_request request = {.op = DBL_OP_rows_shape,
					      .args = DBL_ARGS(args),
					      .row = read_row,
					      .ctx = reading,
					      .deadline = dbl_tx_deadline(job->tx)};

		rc = dbl_db_run(job->db, &request, err);
		end_index(reading);
	}
	dbl_free(schema);
	dbl_free(name);
	if (rc == 0 && reading->failed)
		rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	return rc;
}

/* ---- judging --------------------------------------------------------------------------------- */

static int no_index(const struct dbl_rows_job *job, const char *table, struct dblock_error *err)
{
	struct dbl_str key = {0};

	dbl_rows_list(&key, &job->names, job->names.n_key, ", ");
	dbl_fail(err, DBLOCK_E_INVALID,
		 "%.100s has no UNIQUE index of NOT NULL columns among (%.300s), so the database "
		 "would lock every row that it looks at; give the columns of its primary key, or "
		 "make such an index",
		 table, key.text ? key.text : "");
	dbl_str_free(&key);
	return DBLOCK_E_INVALID;
}

static int judge_columns(const struct dbl_rows_shape *shape, const char *table,
			 const char *const *key, unsigned n_key, struct dblock_error *err)
{
	for (unsigned i = 0; i < n_key; i++) {
		if (shape->columns[i].kind == DBL_COLUMN_NONE)
			return dbl_fail(err, DBLOCK_E_SCHEMA, "%.100s has no column '%.80s'", table,
					key[i]);
		if (shape->columns[i].kind == DBL_COLUMN_OTHER)
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"column '%.80s' of %.100s is of type %s, whose values are "
				"not always found by an index; use a key of integers, "
				"DECIMAL, CHAR, VARCHAR, BINARY, VARBINARY, DATE, DATETIME, "
				"TIMESTAMP or UUID",
				key[i], table, shape->columns[i].type);
	}
	return 0;
}

static int judge(const struct dbl_rows_job *job, const struct dbl_rows_shape *shape,
		 const char *table, const char *const *key, struct dblock_error *err)
{
	int rc;

	if (!shape->found)
		return dbl_fail(err, DBLOCK_E_SCHEMA,
				"there is no table '%.100s', or this user may not see it", table);
	if (shape->is_view)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%.100s is a view: lock the rows of its tables", table);
	if (!shape->is_innodb)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%.100s is not of InnoDB, and its engine has no row locks; ALTER "
				"TABLE ... ENGINE=InnoDB",
				table);
	rc = judge_columns(shape, table, key, job->names.n_key, err);
	if (rc == 0 && !shape->index)
		rc = no_index(job, table, err);
	return rc;
}

/* ---- keeping --------------------------------------------------------------------------------- */

static void free_shape(struct dbl_tx_part *part, enum dbl_tx_end end)
{
	struct dbl_rows_shape *shape = (struct dbl_rows_shape *)part;

	(void)end;
	dbl_free(shape->of);
	dbl_free(shape->index);
	dbl_free(shape);
}

static struct dbl_rows_shape *find_known(const struct dblock_tx *tx, const char *of)
{
	for (struct dbl_tx_part *part = tx->parts; part; part = part->next) {
		if (part->ended == free_shape &&
		    strcmp(((struct dbl_rows_shape *)part)->of, of) == 0)
			return (struct dbl_rows_shape *)part;
	}
	return NULL;
}

static char *name_of(const struct dbl_rows_job *job)
{
	struct dbl_str of = {0};

	dbl_str_addf(&of, "%s ", job->names.table);
	dbl_rows_list(&of, &job->names, job->names.n_key, " ");
	return dbl_str_take(&of);
}

static int look_up(struct dbl_rows_job *job, char *of, const char *table, const char *const *key,
		   const struct dbl_rows_shape **out, struct dblock_error *err)
{
	struct dbl_rows_shape *shape = dbl_alloc(sizeof(*shape));
	struct reading reading = {.shape = shape, .key = key, .n_key = job->names.n_key};
	int rc;

	if (!shape) {
		dbl_free(of);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	shape->of = of;
	shape->part.ended = free_shape;
	rc = read_shape(job, &reading, table, err);
	if (rc == 0)
		rc = judge(job, shape, table, key, err);
	if (rc) {
		free_shape(&shape->part, DBL_TX_UNKNOWN);
		return rc;
	}
	dbl_tx_join(job->tx, &shape->part);
	*out = shape;
	return 0;
}

int dbl_rows_shape(struct dbl_rows_job *job, const char *table, const char *const *key,
		   const struct dbl_rows_shape **out, struct dblock_error *err)
{
	char *of = name_of(job);

	if (!of)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	*out = find_known(job->tx, of);
	if (!*out)
		return look_up(job, of, table, key, out, err);
	dbl_free(of);
	return 0;
}
