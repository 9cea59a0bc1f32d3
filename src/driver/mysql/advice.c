/* SPDX-License-Identifier: MIT */
#include <errmsg.h>

#include "driver/mysql/conn.h"

static const struct {
	unsigned native;
	const char *text;
} known[] = {
	{1040, "; all of the server's connections are in use: see max_connections"},
	{1129,
	 "; the server shuts this host out after errors: see max_connect_errors, and mysqladmin "
	 "flush-hosts"},
	{1130, "; no account there may come from this host: see CREATE USER 'name'@'host'"},
	{1203, "; this user has no connection left: see max_user_connections"},
	{1226, "; this user has no connection left: see max_user_connections"},
	/* 1524: the server lacks the plugin; 2059: the client library does. */
	{1524, "; the server does not load what this account logs in with: ALTER USER ... "
	       "IDENTIFIED WITH another plugin"},
	{2059, "; this client library does not have what the account logs in with: ALTER USER ... "
	       "IDENTIFIED WITH another plugin, or the plugin's package"},
	{1862, "; log in with the program mysql, and change it: ALTER USER ... IDENTIFIED BY"},
	{3118, "; ALTER USER ... ACCOUNT UNLOCK lets it in"},
	{4151, "; ALTER USER ... ACCOUNT UNLOCK lets it in"},
	{3955, "; too many wrong passwords: ALTER USER ... ACCOUNT UNLOCK lets it in"},
	{4150, "; too many wrong passwords: FLUSH PRIVILEGES lets it in"},
	{3032, "; only users with CONNECTION_ADMIN get in: see offline_mode"},
	{6400, "; only users with CONNECTION_ADMIN get in: see offline_mode"},
	{3159, "; the server wants TLS: ssl-mode=REQUIRED"},
	{CR_SSL_CONNECTION_ERROR,
	 "; check ssl-mode, ssl-ca, ssl-cert and ssl-key, and the server's certificate"},
};

/* The server's error 1045 does not say what is missing. */
static const char *of_denied(unsigned native, const struct dbl_mysql_target *to)
{
	if (native == 1045 && to->tls == DBL_MYSQL_TLS_DISABLED)
		return "; check user, password and grants; if the account REQUIREs SSL or X509, "
		       "say ssl-mode=REQUIRED (X509: and ssl-cert, ssl-key)";
	if (native == 1045 && !to->cert)
		return "; check user, password and grants; if the account REQUIREs X509, say "
		       "ssl-cert and ssl-key";
	return "; check user, password and grants";
}

/* caching_sha2_password and sha256_password: a server that has not cached the password yet needs it
 * in plain text, and the library sends it only where nobody can read it. */
static const char *of_plugin(const struct dbl_mysql_target *to)
{
	if (to->tls > DBL_MYSQL_TLS_PREFERRED || to->get_public_key)
		return "; check user and password, and what the account logs in with";
	return "; the server wants the password itself, which goes over TLS (ssl-mode=REQUIRED), "
	       "over a unix socket, or with get-server-public-key=1";
}

const char *dbl_mysql_advice(int code, unsigned native, const struct dbl_mysql_target *to)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].native == native)
			return known[i].text;
	}
	if (native == CR_AUTH_PLUGIN_ERR)
		return of_plugin(to);
	if (code == DBLOCK_E_DENIED)
		return of_denied(native, to);
	if (code == DBLOCK_E_INVALID)
		return "; create the database, or correct the URL";
	if (code == DBLOCK_E_UNAVAILABLE || code == DBLOCK_E_NO_ANSWER)
		return "; is the server running, and host, port or socket right?";
	return "";
}
