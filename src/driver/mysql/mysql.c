/* SPDX-License-Identifier: MIT */
/* The driver for MySQL and MariaDB. Each slot talks to the server by calls (call.c). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host.h"
#include "base/mem.h"
#include "driver/hosts.h"
#include "driver/mysql/conn.h"
#include "driver/mysql/placeholder.h"
#include "driver/mysql/version.h"

/* In a child process the connection is the parent's: no byte may be sent on it, and the guard's
 * lock may be held by a thread that does not exist here. */
static void leave_to_parent(struct dbl_mysql_conn *conn)
{
	int fd = dbl_mysql_lib_socket(conn->lib);
	int nowhere = fd >= 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (nowhere >= 0) {
		dup2(nowhere, fd);
		close(nowhere);
	} else if (fd >= 0) {
		close(fd);
	}
	dbl_mysql_guard_abandon(&conn->guard);
}

/* The library's handle is closed first: then freeing statements sends nothing. */
static void close_own(struct dbl_mysql_conn *conn)
{
	bool is_ours = conn->pid == dbl_host_pid();

	if (is_ours)
		dbl_mysql_say_goodbye(conn, 0);
	else
		leave_to_parent(conn);
	mysql_close(conn->lib);
	dbl_mysql_stmts_free(conn);
	if (is_ours)
		dbl_mysql_guard_stop(&conn->guard);
}

static void mysql_driver_close(struct dbl_conn *base)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;
	sigset_t before;

	dbl_mysql_lib_enter(&before);
	if (conn->adopted)
		dbl_mysql_stmts_free(conn);
	else
		close_own(conn);
	dbl_mysql_lib_leave(&before);
	dbl_free(conn);
}

static int make(struct dbl_mysql_conn **out, const struct dbl_env *env, int64_t deadline,
		struct dblock_error *err)
{
	struct dbl_mysql_conn *conn;

	if (!dbl_mysql_lib_init())
		return dbl_fail(err, DBLOCK_E_NOMEM, "the MySQL client library does not start");
	conn = dbl_alloc(sizeof(*conn));
	if (!conn)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	conn->base = (struct dbl_conn){.driver = &dbl_mysql, .env = env, .deadline = deadline};
	conn->pid = dbl_host_pid();
	conn->lib = mysql_init(NULL);
	if (conn->lib && dbl_mysql_guard_start(&conn->guard, env) == 0) {
		*out = conn;
		return 0;
	}
	if (conn->lib)
		mysql_close(conn->lib);
	dbl_free(conn);
	return dbl_fail(err, DBLOCK_E_NOMEM, "no memory, or no thread, for a connection");
}

/* What an attempt to connect needs. */
struct opening {
	struct dbl_conn **out;
	const struct dbl_url *url;
	const struct dbl_env *env;
	struct dbl_mysql_target target;
};

static void name_host(const struct opening *opening, unsigned host, struct dblock_error *err)
{
	const struct dbl_url *url = opening->url;

	if (url->n_hosts == 0)
		dbl_err_prefix(err, "%.200s", url->shown);
	else if (url->hosts[host].port)
		dbl_err_prefix(err, "%.200s:%s", url->hosts[host].host, url->hosts[host].port);
	else
		dbl_err_prefix(err, "%.200s", url->hosts[host].host);
	dbl_url_hide(url, err);
}

static int open_host(void *ctx, unsigned host, int64_t by, struct dblock_error *err)
{
	const struct opening *opening = ctx;
	struct dbl_mysql_target target = opening->target;
	struct dbl_mysql_conn *conn = NULL;
	int rc = make(&conn, opening->env, by, err);

	if (rc)
		return rc;
	dbl_mysql_target_choose(&target, opening->url, host);
	conn->several = target.several;
	rc = dbl_mysql_connect(conn, &target, err);
	if (rc == 0) {
		conn->base.backend = (int64_t)mysql_thread_id(conn->lib);
		conn->base.hosts = opening->url->n_hosts;
		conn->base.host = host;
		*opening->out = &conn->base;
		return 0;
	}
	name_host(opening, host, err);
	conn->base.broken = true;
	mysql_driver_close(&conn->base);
	return rc;
}

static int mysql_driver_open(struct dbl_conn **out, const struct dbl_url *url,
			     const struct dbl_env *env, int64_t deadline, struct dblock_error *err)
{
	struct dbl_mysql_options options = {.text = NULL};
	struct opening opening = {.out = out, .url = url, .env = env};
	const struct dbl_hosts hosts = {.n = url->n_hosts ? url->n_hosts : 1,
					.only = url->only_host,
					.good = url->good_host,
					.env = env,
					.deadline = deadline,
					.open = open_host,
					.ctx = &opening};
	int rc = dbl_mysql_target_read(&opening.target, &options, url, err);

	*out = NULL;
	if (rc == 0)
		rc = dbl_hosts_open(&hosts, err);
	dbl_mysql_options_free(&options);
	return rc;
}

/* Use a MYSQL that is the caller's. */
static int mysql_driver_adopt(struct dbl_conn **out, void *handle, const struct dbl_env *env,
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

/* These two fields of a MYSQL are public in both libraries. */
static enum dbl_tx_state mysql_driver_state(struct dbl_conn *base)
{
	MYSQL *lib = ((struct dbl_mysql_conn *)base)->lib;

	if (base->broken)
		return DBL_TX_LOST;
	if (lib->status != MYSQL_STATUS_READY || mysql_more_results(lib))
		return DBL_TX_IN_USE;
	/* Without autocommit the next statement begins a transaction. */
	if ((lib->server_status & SERVER_STATUS_IN_TRANS) ||
	    !(lib->server_status & SERVER_STATUS_AUTOCOMMIT))
		return DBL_TX_OPEN;
	return DBL_TX_NONE;
}

/* Tell of each warning. If the connection is lost meanwhile, the statement was carried out all the same. */
static void tell(const struct dbl_conn *conn, MYSQL *lib)
{
	char text[600];
	MYSQL_RES *rows;
	MYSQL_ROW row;

	if (!conn->told || mysql_warning_count(lib) == 0 || mysql_query(lib, "SHOW WARNINGS"))
		return;
	rows = mysql_store_result(lib);
	while (rows && (row = mysql_fetch_row(rows)) != NULL) {
		snprintf(text, sizeof(text), "%s %s: %s", row[0] ? row[0] : "",
			 row[1] ? row[1] : "", row[2] ? row[2] : "");
		conn->told(conn->told_ctx, false, text);
	}
	mysql_free_result(rows);
}

/* Finds a text in a statement: at its end, else from a line on. */
static const char *find_near(const char *sql, const char *text, long line)
{
	size_t all = strlen(sql), len = strlen(text);

	if (len < all && strcmp(sql + all - len, text) == 0)
		return sql + all - len;
	while (line-- > 1 && (sql = strchr(sql, '\n')) != NULL)
		sql++;
	return sql ? strstr(sql, text) : NULL;
}

/* Where in the statement an error of syntax is: the server says "... near 'TEXT' at line N", in its own
 * language, with no more than 80 characters of what is left from there on. */
static unsigned error_at(const char *sql, const char *message)
{
	const char *near = strchr(message, '\''), *end = strrchr(message, '\''), *at;
	char text[400];
	unsigned chars = 1;

	if (!near || end <= near + 1)
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)(end - near - 1), near + 1);
	at = find_near(sql, text, strtol(end + strcspn(end, "0123456789"), NULL, 10));
	for (; at && sql < at; sql++)
		chars += (*sql & 0xC0) != 0x80;
	return at ? chars : 0;
}

static int mysql_driver_exec(struct dbl_conn *base, const char *sql, struct dblock_error *err)
{
	MYSQL *lib = ((struct dbl_mysql_conn *)base)->lib;
	enum { SYNTAX = 1064 };
	struct dbl_mysql_call call;
	bool done;
	int rc;

	base->error_at = 0;
	if (dbl_mysql_is_empty(sql))
		return dbl_fail(err, DBLOCK_E_BUG, "the statement is empty");
	rc = dbl_mysql_call_begin(&call, base, true, err);
	if (rc)
		return rc;
	done = dbl_mysql_query((struct dbl_mysql_conn *)base, sql) &&
	       dbl_mysql_throw_away(lib, &base->changed);
	if (done)
		tell(base, lib);
	dbl_mysql_call_end(&call);
	if (done)
		return 0;
	if (mysql_errno(lib) == SYNTAX)
		base->error_at = error_at(sql, mysql_error(lib));
	return dbl_mysql_call_failed(&call, mysql_errno(lib), mysql_sqlstate(lib), mysql_error(lib),
				     err);
}

/* The reset also sets the character set back. */
static int mysql_driver_reset(struct dbl_conn *base, struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;
	struct dbl_mysql_call call;
	bool done;
	int rc;

	rc = dbl_mysql_call_begin(&call, base, true, err);
	if (rc)
		return rc;
	dbl_mysql_stmts_free(conn);
	done = mysql_reset_connection(conn->lib) == 0 &&
	       mysql_set_character_set(conn->lib, "utf8mb4") == 0;
	dbl_mysql_call_end(&call);
	if (done)
		return 0;
	return dbl_mysql_call_failed(&call, mysql_errno(conn->lib), mysql_sqlstate(conn->lib),
				     mysql_error(conn->lib), err);
}

static void *mysql_driver_handle(struct dbl_conn *base)
{
	return ((struct dbl_mysql_conn *)base)->lib;
}

static int mysql_driver_socket(struct dbl_conn *base)
{
	return dbl_mysql_lib_socket(((struct dbl_mysql_conn *)base)->lib);
}

const struct dbl_driver dbl_mysql = {
	.name = "mysql",
	.open = mysql_driver_open,
	.adopt = mysql_driver_adopt,
	.handle = mysql_driver_handle,
	.socket = mysql_driver_socket,
	.close = mysql_driver_close,
	.reset = mysql_driver_reset,
	.state = mysql_driver_state,
	.exec = mysql_driver_exec,
	.prepare = dbl_mysql_prepare,
	.forget = dbl_mysql_forget,
	.run = dbl_mysql_run,
	.next = dbl_mysql_next,
	.wait = dbl_mysql_wait,
};
