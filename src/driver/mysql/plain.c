/* SPDX-License-Identifier: MIT */
/* Statements that the server runs, but does not prepare: KILL, BEGIN, SAVEPOINT, LOCK TABLES and
 * more, on MySQL more than on MariaDB ("SQL Syntax Permitted in Prepared Statements" in its
 * manual). The first run costs one more round trip, but not for savepoints, which are known by
 * their first word. */
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
	unsigned columns = 0;
	bool done;
	int rc = dbl_mysql_call_begin(&call, stmt->base.conn, !stmt->base.reads, err);

	if (rc)
		return rc;
	done = mysql_real_query(lib, sql, strlen(sql)) == 0;
	if (done) {
		columns = mysql_field_count(lib);
		done = dbl_mysql_throw_away(lib, changed);
	}
	dbl_mysql_call_end(&call);
	if (!done)
		return dbl_mysql_call_failed(&call, mysql_errno(lib), mysql_sqlstate(lib),
					     mysql_error(lib), err);
	return columns ? dbl_fail(err, DBLOCK_E_INVALID,
				  "it was carried out, but has rows, and the server does not "
				  "prepare "
				  "it: call it with mysql_query()")
		       : 0;
}

int dbl_mysql_run_plain(struct dbl_mysql_stmt *stmt, const struct dbl_value *args, int64_t *changed,
			struct dblock_error *err)
{
	char *sql;
	int rc = dbl_mysql_fill(&stmt->text, args, &sql, err);

	stmt->base.columns = 0;
	stmt->base.met = false;
	if (rc == 0)
		rc = send_text(stmt, sql, changed, err);
	dbl_free(sql);
	return rc;
}
