/* SPDX-License-Identifier: MIT */
/*
 * An option file, as ~/.my.cnf is: what it says about where the server is, who logs in, and TLS. It
 * is read here and not by the client library: Connector/C takes a file that is missing, or wrong,
 * for an empty one, and sets what it says over what the URL says; libmysqlclient prints, reads
 * ~/.mylogin.cnf besides; and both carry out an init-command.
 */
#ifndef DBL_DRIVER_MYSQL_OPTIONS_H
#define DBL_DRIVER_MYSQL_OPTIONS_H

#include "base/err.h"

/* NULL: the file does not say it. */
struct dbl_mysql_options {
	char *text;       /* of the whole file; the others point into it */
	const char *path; /* the caller's */
	const char *user, *password, *database;
	const char *host, *port, *socket, *protocol;
	const char *ssl_mode, *ssl_ca, *ssl_cert, *ssl_key;
	const char *ssl, *ssl_verify, *get_public_key; /* "1", or another word for yes or no */
};

/* The groups [client], [client-server] and [<group>]; of two lines the later one counts. What
 * dblock has no use for is passed over, but nothing about TLS. DBLOCK_E_INVALID names file and
 * line. Free it in any case. */
int dbl_mysql_options_read(struct dbl_mysql_options *, const char *path, const char *group,
			   struct dblock_error *err);
void dbl_mysql_options_free(struct dbl_mysql_options *);

/* The ssl-mode that these come to; NULL: nothing is said. */
const char *dbl_mysql_options_tls_mode(const struct dbl_mysql_options *);

/* Is it a word for yes? NULL is none. */
bool dbl_mysql_is_yes(const char *word);

/* A file with a secret: only its owner may read it; one of root's, its group, too. (So says libpq.)
 * `what` names it in the refusal. */
int dbl_mysql_check_secret(const char *what, const char *path, struct dblock_error *err);

#endif
