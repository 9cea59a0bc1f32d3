/* SPDX-License-Identifier: MIT */
/* An account of the test's own on MySQL or MariaDB, and logging in by it. */
#ifndef TESTS_DB_MYSQL_LOGIN_KIT_H
#define TESTS_DB_MYSQL_LOGIN_KIT_H

#include <sys/stat.h>
#include <unistd.h>

#include "db/driver/driver_kit.h"

enum way { TCP, V6, SOCKET };

static inline const char *user_name(void)
{
	static char name[30];

	snprintf(name, sizeof(name), "l_%d", getpid());
	return name;
}

/* Makes an account anew: nobody has logged in by it, so the server knows its password only by a
 * slow hash. */
static inline void make_user(struct world *w, const char *needs)
{
	const char *u = user_name();
	char sql[700];

	snprintf(sql, sizeof(sql), "DROP USER IF EXISTS %s@127.0.0.1, %s@localhost, %s@'::1'", u, u,
		 u);
	exec(w, w->conn, sql);
	snprintf(sql, sizeof(sql),
		 "CREATE USER %s@127.0.0.1 IDENTIFIED BY 's3cret', %s@localhost IDENTIFIED BY "
		 "'s3cret', %s@'::1' IDENTIFIED BY 's3cret' %s",
		 u, u, u, needs);
	exec(w, w->conn, sql);
	for (int i = 0; i < 3; i++) {
		static const char *const hosts[] = {"127.0.0.1", "localhost", "'::1'"};

		snprintf(sql, sizeof(sql), "GRANT SELECT ON *.* TO %s@%s", u, hosts[i]);
		exec(w, w->conn, sql);
	}
}

static inline int end(void **state)
{
	struct world *w = *state;
	const char *u = user_name();
	char sql[200];

	unsetenv("MYSQL_PWD");
	snprintf(sql, sizeof(sql), "DROP USER IF EXISTS %s@127.0.0.1, %s@localhost, %s@'::1'", u, u,
		 u);
	exec(w, w->other, sql);
	return tear_down(state);
}

/* The server's socket, as ?key=value of a URL. */
static inline const char *socket_param(void)
{
	return strstr(env_text("DBLOCK_TEST_URL"), "socket=");
}

/* HOST:PORT/DATABASE */
static inline const char *tcp_place(void)
{
	return strchr(env_text("DBLOCK_TEST_TCP_URL"), '@') + 1;
}

static inline void make_url(char *url, size_t room, enum way way, const char *login,
			    const char *more)
{
	const char *tcp = tcp_place(), *database = strchr(tcp, '/');
	const char *port = strchr(tcp, ':');

	if (way == SOCKET)
		snprintf(url, room, "mysql://%s@%s?%s%s%s", login, database, socket_param(),
			 *more ? "&" : "", more);
	else
		snprintf(url, room, "mysql://%s@%s%s%s%s", login, way == V6 ? "[::1]" : "127.0.0.1",
			 port, *more ? "?" : "", more);
}

/* Logs in as the account; login is ":password", or "" for none. */
static inline int try_login(enum way way, const char *password, const char *more,
			    struct dblock_error *err)
{
	char url[1500], login[100];
	struct dbl_conn *conn;
	int rc;

	snprintf(login, sizeof(login), "%s%s", user_name(), password);
	make_url(url, sizeof(url), way, login, more);
	*err = (struct dblock_error){0};
	rc = open_url(url, in_ms(PLENTY_MS), &conn, err);
	if (rc == 0)
		this_driver()->close(conn);
	return rc;
}

static inline void logs_in(enum way way, const char *password, const char *more)
{
	struct dblock_error err;

	if (try_login(way, password, more, &err))
		fail_msg("way %d, '%s', '%s': %s", way, password, more, err.message);
}

static inline void is_refused(enum way way, const char *password, const char *more, int outcome,
			      const char *part)
{
	struct dblock_error err;
	int rc = try_login(way, password, more, &err);

	if (rc != outcome || !strstr(err.message, part) || strstr(err.message, "s3cret"))
		fail_msg("way %d, '%s', '%s': %s, '%s' does not say '%s'", way, password, more,
			 dblock_outcome_name(rc), err.message, part);
}

static inline bool is_mysql(struct world *w)
{
	return one_int(w, w->conn, "SELECT version() NOT LIKE '%MariaDB%'") == 1;
}

/* Writes a file of mode 0600 in the test's folder, and returns its path. */
static inline const char *write_file(const char *name, const char *text)
{
	static char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", env_text("DBLOCK_TEST_TMP"), name);
	file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
	chmod(path, 0600);
	return path;
}

#define LOGIN(name) cmocka_unit_test_setup_teardown(name, set_up, end)

#endif
