/* SPDX-License-Identifier: MIT */
/* Reads mysql://user:password@host:port/database?socket=..&ssl-mode=..&ssl-ca=.. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/mysql_conn.h"

static const char *const known_params[] = {"socket", "ssl-mode", "ssl-ca", NULL};

/* By enum dbl_mysql_tls. */
static const char *const tls_modes[] = {"DISABLED",  "PREFERRED",       "REQUIRED",
					"VERIFY_CA", "VERIFY_IDENTITY", NULL};

/* More than the library would refuse: it takes some hosts for lists or for other plugins. */
static int check_host(const char *host, struct dblock_error *err)
{
	if (strchr(host, ','))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: several hosts ('%.80s'); mysql: takes one", host);
	if (strpbrk(host, "=;/?@ "))
		return dbl_fail(err, DBLOCK_E_INVALID, "URL: '%.80s' is not the name of a host",
				host);
	return 0;
}

static int read_place(struct dbl_mysql_target *to, const struct dbl_url *url,
		      struct dblock_error *err)
{
	bool is_localhost = url->host && strcmp(url->host, "localhost") == 0;
	int rc = 0;

	/* The URL's reader has seen that it is one. */
	to->port = url->port ? (unsigned)strtoul(url->port, NULL, 10) : 0;

	to->host = url->host;
	to->socket = dbl_url_param(url, "socket");
	if (rc == 0 && url->host)
		rc = check_host(url->host, err);
	if (rc)
		return rc;
	if (to->socket && url->host && !is_localhost)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: host '%.80s' and a socket; give one of the two", url->host);
	/* To the library "localhost" is a unix socket, whatever the port says. */
	if (is_localhost || (!url->host && url->port))
		to->host = "127.0.0.1";
	if (to->socket)
		to->host = NULL;
	return 0;
}

static int read_tls_mode(struct dbl_mysql_target *to, const char *mode, struct dblock_error *err)
{
	for (unsigned i = 0; tls_modes[i]; i++) {
		if (strcmp(mode, tls_modes[i]) == 0) {
			to->tls = (enum dbl_mysql_tls)i;
			return 0;
		}
	}
	dbl_fail(err, DBLOCK_E_INVALID, "URL: ssl-mode '%.40s' is none of:", mode);
	for (unsigned i = 0; tls_modes[i]; i++)
		dbl_err_suffix(err, " %s", tls_modes[i]);
	return DBLOCK_E_INVALID;
}

/* Without ssl-mode: a CA asks to be checked against; a unix socket needs no TLS. */
static int read_tls(struct dbl_mysql_target *to, const struct dbl_url *url,
		    struct dblock_error *err)
{
	const char *mode = dbl_url_param(url, "ssl-mode");

	to->ca = dbl_url_param(url, "ssl-ca");
	if (to->ca && access(to->ca, R_OK) != 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "URL: ssl-ca '%.200s' cannot be read",
				to->ca);
	if (mode)
		return read_tls_mode(to, mode, err);
	to->tls = to->ca     ? DBL_MYSQL_TLS_VERIFY_CA
		  : to->host ? DBL_MYSQL_TLS_PREFERRED
			     : DBL_MYSQL_TLS_DISABLED;
	return 0;
}

int dbl_mysql_target_read(struct dbl_mysql_target *to, const struct dbl_url *url,
			  struct dblock_error *err)
{
	int rc = dbl_url_check_params(url, known_params, err);

	*to = (struct dbl_mysql_target){
		.user = url->user, .password = url->password, .database = url->path};
	if (rc)
		return rc;
	if (!url->path || !*url->path)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: %.200s names no database; write mysql://host/DATABASE",
				url->shown);
	rc = read_place(to, url, err);
	return rc ? rc : read_tls(to, url, err);
}
