/* SPDX-License-Identifier: MIT */
/* URLs: scheme:path or scheme://user:password@host:port/path?key=value&... (RFC 3986). */
#ifndef DBL_BASE_URL_H
#define DBL_BASE_URL_H

#include <stdatomic.h>

#include "base/err.h"

enum { DBL_URL_PARAMS_MAX = 32, DBL_URL_HOSTS_MAX = 32 };

/* The parts of a URL, percent-decoded; NULL where absent. */
struct dbl_url {
	char *whole;  /* as given, with the password: for libpq only, never for a message */
	char *scheme; /* lower case */
	char *user;
	char *password;
	char *password_raw; /* as in the URL, for hiding it in messages */
	char *host;         /* a list, "a,b:1", stays as it is */
	char *port;
	struct {
		char *host;
		char *port;
	} hosts[DBL_URL_HOSTS_MAX]; /* of a list; libpq takes its own apart */
	unsigned n_hosts;
	char *path; /* without the slash between it and the host */
	struct {
		char *key;
		char *value;
	} params[DBL_URL_PARAMS_MAX];
	unsigned n_params;
	char *shown; /* without password: for messages */
	/* Not of the text: its user means to write, so a server that cannot be written is refused;
	 * which of several hosts worked last; and the only one that is meant, from 1 (0: any). */
	bool writes;
	bool looks; /* it means not to, so SQLite makes no file */
	atomic_uint *good_host;
	unsigned only_host;
};

/* Parse a URL; DBLOCK_E_INVALID says what is wrong. Call dbl_url_free() after a failure, too. */
int dbl_url_parse(struct dbl_url *url, const char *text, struct dblock_error *err);
void dbl_url_free(struct dbl_url *);

/* A parameter's value, or NULL. */
const char *dbl_url_param(const struct dbl_url *, const char *key);

/* Take the parameter out of `whole`. The others and all else stay as they are. */
int dbl_url_take(struct dbl_url *, const char *key, struct dblock_error *err);

/* Make the URL that is `of`, but leads to these hosts (host:port, or a list), whatever its parameters
 * say of a host. Call dbl_url_free() after a failure, too. */
int dbl_url_elsewhere(struct dbl_url *, const struct dbl_url *of, const char *hosts,
		      struct dblock_error *err);

/* Make the URL that is `of`, but names this database of the same server. Call dbl_url_free() after a
 * failure, too. */
int dbl_url_beside(struct dbl_url *, const struct dbl_url *of, const char *database,
		   struct dblock_error *err);

/* The text of the URL without its password, for a program's command line; NULL: no memory. The caller
 * frees it. */
char *dbl_url_open_text(const struct dbl_url *);

/* Each parameter must be one of `known` (ends with NULL), else DBLOCK_E_INVALID lists those. */
int dbl_url_check_params(const struct dbl_url *, const char *const *known,
			 struct dblock_error *err);

/* Hide the password, in every form that it has, in a message from elsewhere that may quote the URL.
 * Words that are merely equal to it stay. */
void dbl_url_hide(const struct dbl_url *, struct dblock_error *err);

#endif
