/* SPDX-License-Identifier: MIT */
/* A URL's host and port, or its list of these. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/url_own.h"

/* Without an '@', this part may be a user and a password: so a part that does not look like a host
 * or a port is not shown. */
static int refuse_host(const char *what, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_INVALID,
			"URL: %s; write scheme://user:password@host:port/database (%%2F for a '/', "
			"%%3A for a ':' in a name or password)",
			what);
}

static bool is_port(struct span port)
{
	unsigned long number = 0;
	size_t len = span_len(port);

	for (size_t i = 0; i < len; i++) {
		if (port.from[i] < '0' || port.from[i] > '9')
			return false;
		number = number * 10 + (unsigned long)(port.from[i] - '0');
		if (number > 65535)
			return false;
	}
	return len == 0 || number > 0;
}

/* Is this an IPv6 address, as inside "[::1]", perhaps with a zone? */
static bool is_v6(struct span host)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct in6_addr address;
	const char *zone = find(host, '%');
	size_t len = (size_t)((zone ? zone : host.to) - host.from);

	if (len >= sizeof(text))
		return false;
	memcpy(text, host.from, len);
	return inet_pton(AF_INET6, text, &address) == 1;
}

/* Split host, host:port, [v6] or [v6]:port. */
static int part_host(struct span part, struct span *host, struct span *port,
		     struct dblock_error *err)
{
	bool bracket = part.from < part.to && *part.from == '[';
	const char *close = bracket ? find(part, ']') : NULL;
	const char *colon = find((struct span){close ? close : part.from, part.to}, ':');

	*host = (struct span){part.from, colon ? colon : part.to};
	*port = (struct span){colon ? colon + 1 : part.to, part.to};
	if (bracket && !close)
		return refuse_host("the [ of an IPv6 address has no ]", err);
	if (!is_port(*port))
		return refuse_host("what stands behind the host is no port from 1 to 65535", err);
	if (!bracket)
		return 0;
	*host = (struct span){host->from + 1, close};
	if (close + 1 != (colon ? colon : part.to) || !is_v6(*host))
		return refuse_host("what stands in [ ] is no IPv6 address", err);
	return 0;
}

static int keep(struct span host, struct span port, char **host_out, char **port_out,
		struct dblock_error *err)
{
	int rc = 0;

	if (span_len(port) > 0)
		rc = dbl_url_decode(port, "port", port_out, err);
	if (rc == 0 && span_len(host) > 0)
		rc = dbl_url_decode(host, "host", host_out, err);
	return rc;
}

static int take_one(struct dbl_url *url, struct span part, struct dblock_error *err)
{
	struct span host, port;
	unsigned i = url->n_hosts;
	int rc = part_host(part, &host, &port, err);

	/* libpq has names for what is empty, and limits of its own. */
	if (rc || strncmp(url->scheme, "postgres", strlen("postgres")) == 0)
		return rc;
	if (span_len(host) == 0)
		return refuse_host("the name of a host is empty", err);
	if (i == DBL_URL_HOSTS_MAX)
		return refuse_host("there are too many hosts", err);
	url->n_hosts++;
	return keep(host, port, &url->hosts[i].host, &url->hosts[i].port, err);
}

static int take_list(struct dbl_url *url, struct span part, struct dblock_error *err)
{
	const char *comma;
	unsigned number = 0;
	int rc;

	do {
		comma = find(part, ',');
		rc = take_one(url, (struct span){part.from, comma ? comma : part.to}, err);
		number++;
		part.from = comma ? comma + 1 : part.to;
	} while (rc == 0 && comma);
	if (rc)
		dbl_err_suffix(err, " (host %u of the list)", number);
	return rc;
}

int dbl_url_parse_host(struct dbl_url *url, struct span part, struct dblock_error *err)
{
	struct span host = part, port = {part.to, part.to};
	int rc;

	if (span_len(part) > 4 &&
	    (strncasecmp(part.from, "tcp(", 4) == 0 || strncasecmp(part.from, "unix", 4) == 0) &&
	    find(part, '('))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: the host stands without tcp( ) or unix( ); write "
				"mysql://user:password@host:port/database, or ?socket=PATH");
	if (find(part, ','))
		rc = take_list(url, part, err);
	else
		rc = part_host(part, &host, &port, err);
	return rc ? rc : keep(host, port, &url->host, &url->port, err);
}
