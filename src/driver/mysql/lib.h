/* SPDX-License-Identifier: MIT */
/* The client library: MariaDB's Connector/C or Oracle's libmysqlclient. All that differs between
 * the two is behind this header. */
#ifndef DBL_DRIVER_MYSQL_LIB_H
#define DBL_DRIVER_MYSQL_LIB_H

#include <mysql.h>
#include <signal.h>
#include <stdbool.h>

#ifdef MARIADB_BASE_VERSION
typedef my_bool dbl_mysql_bool;
#else
#if !defined(LIBMYSQL_VERSION_ID) || LIBMYSQL_VERSION_ID < 80016
#error "libmysqlclient is older than 8.0.16; use that, or MariaDB Connector/C"
#endif
typedef bool dbl_mysql_bool; /* MySQL 8 has no my_bool */
#endif

/* Named and ordered as in ?ssl-mode= */
enum dbl_mysql_tls {
	DBL_MYSQL_TLS_DISABLED,
	DBL_MYSQL_TLS_PREFERRED,
	DBL_MYSQL_TLS_REQUIRED,
	DBL_MYSQL_TLS_VERIFY_CA,
	DBL_MYSQL_TLS_VERIFY_IDENTITY,
};

/* Where a URL leads. Pointers into the URL, and into the option file that it names; NULL: the
 * library's default, which for the password is $MYSQL_PWD. */
struct dbl_mysql_target {
	const char *host;
	unsigned port; /* 0: default */
	const char *socket;
	const char *user;
	const char *password;
	const char *database;
	enum dbl_mysql_tls tls;
	const char *ca;
	const char *cert, *key; /* the client's own: both or neither */
	bool get_public_key;    /* without TLS: send the password by a key that the server names */
};

/* Once a process, whoever comes first. false: the library cannot be used. */
bool dbl_mysql_lib_init(void);

/* Before mysql_*(), in any thread: until leave() none is hit by a SIGPIPE. Cheap. `before` is for
 * leave(). */
void dbl_mysql_lib_enter(sigset_t *before);
void dbl_mysql_lib_leave(const sigset_t *before);

void dbl_mysql_lib_set_tls(MYSQL *, const struct dbl_mysql_target *);

/* The connection's socket, or -1. */
int dbl_mysql_lib_socket(MYSQL *);

/* How the library waits while it connects. */
struct dbl_mysql_wait {
	void *ctx;
	/* poll() the socket (-1: there is none yet) for these events, no longer than at_most_ms
	 * (-1: until the deadline). Returns those that came, 0 if none did, -1 at the deadline. */
	int (*poll)(void *ctx, int fd, int events, int at_most_ms);
};

/* true: connected. Otherwise mysql_errno() says why, or the deadline came. */
bool dbl_mysql_lib_connect(MYSQL *, const struct dbl_mysql_target *, const struct dbl_mysql_wait *);

/* After that: the server refused, and the library has forgotten why. */
bool dbl_mysql_lib_lost_reason(MYSQL *);

/* With another handle: its mysql_errno() says why. Blocks, for three times so long at most; if it
 * is let in this time, the handle is of no use all the same. */
void dbl_mysql_lib_ask_why(MYSQL *, const struct dbl_mysql_target *, unsigned seconds);

#endif
