/* SPDX-License-Identifier: MIT */
#include "driver/postgresql/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* What libpq takes where a list of ports has an empty one. */
#define DEFAULT_PORT "5432"

/* libpq has no call that reads a URL, the environment and the service file, and does not connect;
 * but it reads all before it refuses a mode that there is not. */
static PQconninfoOption *read_options(const struct dbl_url *url)
{
	const char *const keys[] = {"dbname", "sslmode", NULL};
	const char *const values[] = {url->whole, "read and do not connect", NULL};
	PGconn *refused = PQconnectStartParams(keys, values, 1);
	PQconninfoOption *options = PQconninfo(refused);

	PQfinish(refused);
	return options;
}

static char *option(const struct dbl_pg_hosts *hosts, const char *keyword)
{
	for (PQconninfoOption *o = hosts->options; o && o->keyword; o++) {
		if (strcmp(o->keyword, keyword) == 0)
			return o->val && *o->val ? o->val : NULL;
	}
	return NULL;
}

static bool says(const struct dbl_pg_hosts *hosts, const char *keyword, const char *value)
{
	const char *said = option(hosts, keyword);

	return said && strcmp(said, value) == 0;
}

static unsigned count(const char *list)
{
	unsigned n = list != NULL;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

static bool has_empty(const char *list)
{
	return list && (*list == ',' || strstr(list, ",,") || list[strlen(list) - 1] == ',');
}

/* Can the lists be taken apart here? */
static bool is_plain(const struct dbl_pg_hosts *hosts, unsigned n)
{
	const char *name = option(hosts, "host"), *address = option(hosts, "hostaddr");
	unsigned ports = count(option(hosts, "port"));

	return n > 0 && n <= DBL_PG_HOSTS_MAX && (!name || count(name) == n) &&
	       (ports <= 1 || ports == n) && !has_empty(name) && !has_empty(address) &&
	       !says(hosts, "target_session_attrs", "prefer-standby") &&
	       !says(hosts, "load_balance_hosts", "random");
}

/* The next part of a list; of a list of one that same one, again and again. */
static const char *next_part(char **list)
{
	return *list && strchr(*list, ',') ? strsep(list, ",") : *list;
}

static void split(struct dbl_pg_hosts *hosts)
{
	char *name = option(hosts, "host"), *address = option(hosts, "hostaddr");
	char *port = option(hosts, "port");

	for (unsigned i = 0; i < hosts->n; i++) {
		struct dbl_pg_host *host = &hosts->list[i];

		host->name = next_part(&name);
		host->address = next_part(&address);
		host->port = next_part(&port);
		if (!host->port || !*host->port)
			host->port = DEFAULT_PORT;
	}
}

void dbl_pg_hosts_read(struct dbl_pg_hosts *hosts, const struct dbl_url *url)
{
	const char *address, *timeout;
	unsigned n;

	*hosts = (struct dbl_pg_hosts){.n = 1, .options = read_options(url)};
	/* libpq's default and the word of a service file cannot be told apart. */
	hosts->chooses = dbl_url_param(url, "target_session_attrs") ||
			 getenv("PGTARGETSESSIONATTRS") ||
			 !says(hosts, "target_session_attrs", "any");
	address = option(hosts, "hostaddr");
	n = count(address ? address : option(hosts, "host"));
	if (!is_plain(hosts, n))
		return;
	timeout = option(hosts, "connect_timeout");
	if (timeout && atoi(timeout) > 0)
		hosts->each = dbl_ms(atoi(timeout) * INT64_C(1000));
	hosts->n = n;
	split(hosts);
}

void dbl_pg_hosts_free(struct dbl_pg_hosts *hosts)
{
	PQconninfoFree(hosts->options);
}

int dbl_pg_host_look_up(const struct dbl_pg_host *host, struct addrinfo **out,
			struct dblock_error *err)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	int rc;

	*out = NULL;
	/* A path, or a name in Linux's abstract space, is that of a unix socket. */
	if (host->address || !host->name || *host->name == '/' || *host->name == '@')
		return 0;
	rc = getaddrinfo(host->name, NULL, &hints, out);
	return rc == 0 ? 0
		       : dbl_fail(err, DBLOCK_E_UNAVAILABLE,
				  "could not translate host name \"%s\" to address: %s; check the "
				  "URL's host",
				  host->name, gai_strerror(rc));
}
