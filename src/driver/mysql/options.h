/* SPDX-License-Identifier: MIT */
/* An option file like ~/.my.cnf: where the server is, who logs in, and TLS. It is read here and not
 * by the client library: Connector/C takes a missing or wrong file for an empty one, and lets it
 * override the URL; libmysqlclient prints, and reads ~/.mylogin.cnf as well; and both run an
 * init-command. */
#ifndef DBL_DRIVER_MYSQL_OPTIONS_H
#define DBL_DRIVER_MYSQL_OPTIONS_H

#include "base/err.h"

/* NULL: it is not in the file. */
struct dbl_mysql_options {
	char *text;       /* the whole file; the other strings are in it */
	const char *path; /* the caller's */
	const char *user, *password, *database;
	const char *host, *port, *socket, *protocol;
	const char *ssl_mode, *ssl_ca, *ssl_cert, *ssl_key;
	const char *ssl, *ssl_verify, *get_public_key; /* "1", or another word for yes or no */
};

/* Read the groups [client], [client-server] and [<group>]; the last of equal options counts.
 * Options that dblock does not need are ignored, unless they are about TLS. DBLOCK_E_INVALID names
 * file and line. Free the options after a failure, too. */
int dbl_mysql_options_read(struct dbl_mysql_options *, const char *path, const char *group,
			   struct dblock_error *err);
void dbl_mysql_options_free(struct dbl_mysql_options *);

/* The ssl-mode that the options amount to; NULL: there is none. */
const char *dbl_mysql_options_tls_mode(const struct dbl_mysql_options *);

/* Does the word mean yes? NULL does not. */
bool dbl_mysql_is_yes(const char *word);

/* A file with a secret: only its owner may read it, or, if that is root, its group, too (libpq's
 * rule). `what` names it in the message. */
int dbl_mysql_check_secret(const char *what, const char *path, struct dblock_error *err);

#endif
