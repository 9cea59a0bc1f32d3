/* SPDX-License-Identifier: MIT */
/* The client library: MariaDB's Connector/C or Oracle's libmysqlclient. This header hides all the
 * differences between them. */
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

/* Names and order are those of ?ssl-mode= */
enum dbl_mysql_tls {
	DBL_MYSQL_TLS_DISABLED,
	DBL_MYSQL_TLS_PREFERRED,
	DBL_MYSQL_TLS_REQUIRED,
	DBL_MYSQL_TLS_VERIFY_CA,
	DBL_MYSQL_TLS_VERIFY_IDENTITY,
};

/* Where a URL leads. The pointers go into the URL, and into the option file that it names; NULL:
 * the library's default, which for the password is $MYSQL_PWD. */
struct dbl_mysql_target {
	const char *host;
	unsigned port; /* 0: the default */
	bool several;  /* it is one of several hosts */
	bool writes;   /* a server that cannot be written is of no use */
	const char *socket;
	const char *user;
	const char *password;
	const char *database;
	enum dbl_mysql_tls tls;
	const char *ca;
	const char *cert, *key; /* the client's own: both or neither */
	bool get_public_key;    /* without TLS: encrypt the password with the server's public key */
};

/* Once a process, by the first thread. False: the library cannot be used. */
bool dbl_mysql_lib_init(void);

/* To be called before mysql_*(), in any thread: no SIGPIPE comes until leave(`before`). Cheap. */
void dbl_mysql_lib_enter(sigset_t *before);
void dbl_mysql_lib_leave(const sigset_t *before);

void dbl_mysql_lib_set_tls(MYSQL *, const struct dbl_mysql_target *);

/* The connection's socket, or -1. */
int dbl_mysql_lib_socket(MYSQL *);

/* How the library waits while it connects. */
struct dbl_mysql_wait {
	void *ctx;
	/* poll() the socket (-1: there is none yet) for these events, no longer than at_most_ms
	 * (-1: until the deadline). Returns the events, 0 if there were none, -1 at the
	 * deadline. */
	int (*poll)(void *ctx, int fd, int events, int at_most_ms);
};

/* True: connected. Otherwise mysql_errno() tells why, or the deadline came. */
bool dbl_mysql_lib_connect(MYSQL *, const struct dbl_mysql_target *, const struct dbl_mysql_wait *);

/* After a failure: did the server refuse, and the library forget the reason? */
bool dbl_mysql_lib_lost_reason(MYSQL *);

/* Connect another handle, whose mysql_errno() then tells the reason. This blocks for up to three
 * times `seconds`; the handle cannot be used even if it is let in this time. */
void dbl_mysql_lib_ask_why(MYSQL *, const struct dbl_mysql_target *, unsigned seconds);

#endif
