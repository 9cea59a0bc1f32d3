/* SPDX-License-Identifier: MIT */
/* Speaking on a MYSQL that is somebody else's. */
#include "base/host.h"
#include "base/mem.h"
#include "driver/mysql_conn.h"
#include "driver/mysql_version.h"

int dbl_mysql_adopt(struct dbl_conn **out, void *handle, const struct dbl_env *env,
		    struct dblock_error *err)
{
	struct dbl_mysql_conn *conn;
	int rc;

	*out = NULL;
	if (dbl_mysql_lib_socket(handle) < 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "the MYSQL is not connected");
	rc = dbl_mysql_check_version(mysql_get_server_info(handle), err);
	if (rc)
		return rc;
	conn = dbl_alloc(sizeof(*conn));
	if (!conn)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	conn->lib = handle;
	conn->adopted = true;
	conn->pid = dbl_host_pid();
	conn->base = (struct dbl_conn){
		.driver = &dbl_mysql, .env = env, .backend = (int64_t)mysql_thread_id(conn->lib)};
	*out = &conn->base;
	return 0;
}

/* Both libraries show these two fields to every program. */
enum dbl_tx_state dbl_mysql_state(struct dbl_conn *base)
{
	MYSQL *lib = ((struct dbl_mysql_conn *)base)->lib;

	if (base->broken)
		return DBL_TX_LOST;
	if (lib->status != MYSQL_STATUS_READY || mysql_more_results(lib))
		return DBL_TX_IN_USE;
	/* Without autocommit the next statement begins one. */
	if ((lib->server_status & SERVER_STATUS_IN_TRANS) ||
	    !(lib->server_status & SERVER_STATUS_AUTOCOMMIT))
		return DBL_TX_OPEN;
	return DBL_TX_NONE;
}
