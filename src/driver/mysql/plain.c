/* SPDX-License-Identifier: MIT */
/* Statements that the server runs, but does not prepare: KILL, BEGIN, SAVEPOINT, LOCK TABLES and
 * more, on MySQL more than on MariaDB ("SQL Syntax Permitted in Prepared Statements" in its
 * manual). The first run costs one more round trip, but not for those that are known by
 * their first word. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/mysql/stmt.h"

enum {
	NOT_PREPARED = 1295,
	NO_PLACES = 6413, /* MySQL 9 would prepare it without its placeholders */
};

bool dbl_mysql_is_plain(unsigned native)
{
	return native == NOT_PREPARED || native == NO_PLACES;
}

static int send_text(struct dbl_mysql_stmt *stmt, const char *sql, int64_t *changed,
		     struct dblock_error *err)
{
	MYSQL *lib = ((struct dbl_mysql_conn *)stmt->base.conn)->lib;
	struct dbl_mysql_call call;
	bool done;
	int rc = dbl_mysql_call_begin(&call, stmt->base.conn, !stmt->base.reads, err);

	if (rc)
		return rc;
	done = mysql_real_query(lib, sql, strlen(sql)) == 0;
	if (done && mysql_field_count(lib) > 0)
		stmt->answer = mysql_store_result(lib);
	done = done && (stmt->answer || dbl_mysql_throw_away(lib, changed));
	dbl_mysql_call_end(&call);
	return done ? 0
		    : dbl_mysql_call_failed(&call, mysql_errno(lib), mysql_sqlstate(lib),
					    mysql_error(lib), err);
}

int dbl_mysql_run_plain(struct dbl_mysql_stmt *stmt, const struct dbl_value *args, int64_t *changed,
			struct dblock_error *err)
{
	char *sql;
	int rc = dbl_mysql_fill(&stmt->text, args, &sql, err);

	dbl_mysql_free_answer(stmt);
	stmt->base.met = false;
	if (rc == 0)
		rc = send_text(stmt, sql, changed, err);
	dbl_free(sql);
	stmt->base.columns = stmt->answer ? mysql_num_fields(stmt->answer) : 0;
	stmt->rows = stmt->answer ? DBL_MYSQL_TEXT : DBL_MYSQL_NONE;
	return rc;
}

void dbl_mysql_free_answer(struct dbl_mysql_stmt *stmt)
{
	if (stmt->answer)
		mysql_free_result(stmt->answer);
	stmt->answer = NULL;
}

int dbl_mysql_next_plain(struct dbl_mysql_stmt *stmt, struct dbl_value *row)
{
	const MYSQL_FIELD *fields = mysql_fetch_fields(stmt->answer);
	MYSQL_ROW texts = mysql_fetch_row(stmt->answer);
	const unsigned long *lens = texts ? mysql_fetch_lengths(stmt->answer) : NULL;

	for (unsigned i = 0; lens && i < stmt->base.columns; i++) {
		if (!texts[i])
			row[i] = (struct dbl_value){.type = DBL_NULL};
		else if (dbl_mysql_is_integer(fields[i].type))
			row[i] = (struct dbl_value){.type = DBL_INT,
						    .i = strtoll(texts[i], NULL, 10)};
		else
			row[i] = (struct dbl_value){
				.type = DBL_TEXT, .text = texts[i], .len = lens[i]};
	}
	return lens != NULL;
}
