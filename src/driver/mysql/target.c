/* SPDX-License-Identifier: MIT */
/* Reads mysql://user:password@host:port/database?key=value&.., and its option file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "driver/mysql/conn.h"

static const char *const known_params[] = {
	"socket",        "ssl-mode",       "ssl-ca", "ssl-cert", "ssl-key", "get-server-public-key",
	"defaults-file", "defaults-group", NULL};

/* By enum dbl_mysql_tls. */
static const char *const tls_modes[] = {"DISABLED",  "PREFERRED",       "REQUIRED",
					"VERIFY_CA", "VERIFY_IDENTITY", NULL};

/* Where to read from, and where to write to. */
struct reading {
	struct dbl_mysql_target *to;
	const struct dbl_url *url;
	const struct dbl_mysql_options *file; /* all NULL if the URL names none */
	struct dblock_error *err;
};

/* The value of the URL, or else of the file. */
static const char *param(const struct reading *r, const char *key, const char *in_file)
{
	const char *value = dbl_url_param(r->url, key);

	return value ? value : in_file;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* This refuses more than the library, which takes some hosts for lists or for plugins. */
static int check_host(const struct reading *r, const char *host)
{
	const char *where = r->url->host ? "URL" : r->file->path;

	if (strpbrk(host, "=;/?@, "))
		return dbl_fail(r->err, DBLOCK_E_INVALID,
				"%.200s: '%.80s' is not the name of a host", where, host);
	return 0;
}

static int check_list(const struct reading *r)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->url->n_hosts; i++)
		rc = check_host(r, r->url->hosts[i].host);
	return rc;
}

/* The URL's reader has checked its ports. */
static int read_port(const struct reading *r)
{
	const char *text = r->url->port ? r->url->port : r->file->port;
	unsigned long port;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	port = strtoul(text, &end, 10);
	if (errno || end == text || *end || port > 65535)
		return dbl_fail(r->err, DBLOCK_E_INVALID, "%.200s: '%.20s' is no port",
				r->file->path, text);
	r->to->port = (unsigned)port;
	return 0;
}

static bool is_localhost(const char *host)
{
	return host && strcmp(host, "localhost") == 0;
}

static int read_place_of_url(const struct reading *r)
{
	const struct dbl_url *url = r->url;

	r->to->host = url->host;
	r->to->socket = dbl_url_param(url, "socket");
	if (r->to->socket && url->host && !is_localhost(url->host))
		return dbl_fail(r->err, DBLOCK_E_INVALID,
				"URL: host '%.80s' and a socket; give one of the two", url->host);
	/* The library takes "localhost" for a unix socket, whatever the port is. */
	if (is_localhost(url->host))
		r->to->host = "127.0.0.1";
	if (r->to->socket)
		r->to->host = NULL;
	return 0;
}

/* As MySQL's programs read it: "localhost" is a socket, unless the protocol is TCP; with another
 * host a socket has no meaning. */
static void read_place_of_file(const struct reading *r)
{
	const struct dbl_mysql_options *file = r->file;
	bool over_tcp = r->url->port || (file->protocol && strcasecmp(file->protocol, "tcp") == 0);

	if (file->host && *file->host && !is_localhost(file->host))
		r->to->host = file->host;
	else if (over_tcp)
		r->to->host = "127.0.0.1";
	else
		r->to->socket = file->socket;
}

/* If the URL names a host or a socket, the file's are not used. */
static int read_place(const struct reading *r)
{
	int rc = 0;

	if (r->url->host || dbl_url_param(r->url, "socket"))
		rc = read_place_of_url(r);
	else
		read_place_of_file(r);
	if (rc == 0 && r->url->n_hosts > 0)
		rc = check_list(r);
	else if (rc == 0 && r->to->host)
		rc = check_host(r, r->to->host);
	r->to->several = r->url->n_hosts > 1;
	r->to->writes = r->url->writes || r->to->several;
	return rc ? rc : read_port(r);
}

void dbl_mysql_target_choose(struct dbl_mysql_target *to, const struct dbl_url *url, unsigned host)
{
	if (!to->several)
		return;
	to->host = url->hosts[host].host;
	if (is_localhost(to->host))
		to->host = "127.0.0.1";
	if (url->hosts[host].port)
		to->port = (unsigned)strtoul(url->hosts[host].port, NULL, 10);
}

/* ---- TLS ------------------------------------------------------------------------------------- */

static int check_readable(const struct reading *r, const char *key, const char *path)
{
	if (!path || access(path, R_OK) == 0)
		return 0;
	return dbl_fail(r->err, DBLOCK_E_INVALID, "URL: %s '%.200s' cannot be read: %s", key, path,
			strerror(errno));
}

static int read_files(const struct reading *r)
{
	struct dbl_mysql_target *to = r->to;
	int rc;

	to->ca = param(r, "ssl-ca", r->file->ssl_ca);
	to->cert = param(r, "ssl-cert", r->file->ssl_cert);
	to->key = param(r, "ssl-key", r->file->ssl_key);
	if (!to->cert != !to->key)
		return dbl_fail(r->err, DBLOCK_E_INVALID,
				"URL: %s without %s; a certificate is of no use without its key",
				to->cert ? "ssl-cert" : "ssl-key",
				to->cert ? "ssl-key" : "ssl-cert");
	rc = check_readable(r, "ssl-ca", to->ca);
	if (rc == 0)
		rc = check_readable(r, "ssl-cert", to->cert);
	if (rc == 0)
		rc = check_readable(r, "ssl-key", to->key);
	if (rc == 0 && to->key)
		rc = dbl_mysql_check_secret("ssl-key", to->key, r->err);
	return rc;
}

static int read_mode(const struct reading *r, const char *mode)
{
	for (unsigned i = 0; tls_modes[i]; i++) {
		if (strcasecmp(mode, tls_modes[i]) == 0) {
			r->to->tls = (enum dbl_mysql_tls)i;
			return 0;
		}
	}
	dbl_fail(r->err, DBLOCK_E_INVALID, "URL: ssl-mode '%.40s' is none of:", mode);
	for (unsigned i = 0; tls_modes[i]; i++)
		dbl_err_suffix(r->err, " %s", tls_modes[i]);
	return DBLOCK_E_INVALID;
}

/* The TLS mode if there is no ssl-mode: a CA means verification; a client certificate means that
 * TLS is required; a unix socket needs none. */
static int read_tls(const struct reading *r)
{
	struct dbl_mysql_target *to = r->to;
	const char *mode = param(r, "ssl-mode", dbl_mysql_options_tls_mode(r->file));
	int rc = read_files(r);

	to->get_public_key =
		dbl_mysql_is_yes(param(r, "get-server-public-key", r->file->get_public_key));
	if (rc)
		return rc;
	if (mode)
		return read_mode(r, mode);
	to->tls = to->ca     ? DBL_MYSQL_TLS_VERIFY_CA
		  : to->cert ? DBL_MYSQL_TLS_REQUIRED
		  : to->host ? DBL_MYSQL_TLS_PREFERRED
			     : DBL_MYSQL_TLS_DISABLED;
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Only the file that the URL names is read: a user's file for the program mysql is not meant for
 * dblock. */
static int read_options(struct dbl_mysql_options *file, const struct dbl_url *url,
			struct dblock_error *err)
{
	const char *path = dbl_url_param(url, "defaults-file");
	const char *group = dbl_url_param(url, "defaults-group");

	*file = (struct dbl_mysql_options){.text = NULL};
	if (path)
		return dbl_mysql_options_read(file, path, group ? group : "dblock", err);
	if (group)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: defaults-group without defaults-file; no file is read unless "
				"the URL names it");
	return 0;
}

static int read_who(const struct reading *r)
{
	const struct dbl_url *url = r->url;

	*r->to = (struct dbl_mysql_target){
		.user = url->user ? url->user : r->file->user,
		.password = url->password ? url->password : r->file->password,
		.database = url->path && *url->path ? url->path : r->file->database};
	if (r->to->database && *r->to->database)
		return 0;
	return dbl_fail(r->err, DBLOCK_E_INVALID,
			"URL: %.200s names no database; write mysql://host/DATABASE", url->shown);
}

int dbl_mysql_target_read(struct dbl_mysql_target *to, struct dbl_mysql_options *file,
			  const struct dbl_url *url, struct dblock_error *err)
{
	const struct reading r = {.to = to, .url = url, .file = file, .err = err};
	int rc = dbl_url_check_params(url, known_params, err);

	if (rc == 0)
		rc = read_options(file, url, err);
	if (rc == 0)
		rc = read_who(&r);
	if (rc == 0)
		rc = read_place(&r);
	return rc ? rc : read_tls(&r);
}
