/* SPDX-License-Identifier: MIT */
/* Can the server be written? A replica that is read_only lets users with privileges write all the
 * same, and its replication breaks by that: so it is asked, and not tried. */
#include <string.h>

#include "driver/mysql/conn.h"

/* super_read_only, which a secondary of a group has, implies read_only. */
#define READ_ONLY "CAST(@@GLOBAL.read_only AS CHAR) NOT IN ('0', 'OFF')"

/* The state of a node of Galera; one outside the primary component does not answer. */
#define STATE                                                                                      \
	"/*M! (SELECT s.variable_value FROM information_schema.global_status s"                    \
	" WHERE s.variable_name = 'WSREP_LOCAL_STATE_COMMENT' AND EXISTS"                          \
	" (SELECT 1 FROM information_schema.global_variables v"                                    \
	" WHERE v.variable_name = 'WSREP_ON' AND v.variable_value = 'ON')) */"                     \
	"/*!80000 NULL */"

static bool ask(struct dbl_mysql_conn *conn, const char *sql, MYSQL_RES **answer)
{
	*answer = NULL;
	if (mysql_real_query(conn->lib, sql, strlen(sql)) == 0)
		*answer = mysql_store_result(conn->lib);
	return *answer != NULL;
}

static int judge(MYSQL_ROW row, struct dblock_error *err)
{
	if (!row || !row[0] || strcmp(row[0], "0") != 0)
		return dbl_fail(err, DBLOCK_E_READONLY,
				"the server is read_only, as a replica is, and not to be written; "
				"name the primary");
	if (row[1] && strcmp(row[1], "Synced") != 0)
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the node is '%.40s', not 'Synced'",
				row[1]);
	return 0;
}

int dbl_mysql_check_writable(struct dbl_mysql_conn *conn, const struct dbl_mysql_target *to,
			     struct dblock_error *err)
{
	const char *sql =
		to->several ? "SELECT " READ_ONLY ", " STATE : "SELECT " READ_ONLY ", NULL";
	struct dbl_mysql_call call;
	MYSQL_RES *answer;
	int rc = to->writes ? dbl_mysql_call_begin(&call, &conn->base, false, err) : 0;
	bool answered;

	if (rc || !to->writes)
		return rc;
	answered = ask(conn, sql, &answer);
	dbl_mysql_call_end(&call);
	if (!answered)
		return dbl_mysql_call_failed(&call, mysql_errno(conn->lib),
					     mysql_sqlstate(conn->lib), mysql_error(conn->lib),
					     err);
	rc = judge(mysql_fetch_row(answer), err);
	mysql_free_result(answer);
	return rc;
}
