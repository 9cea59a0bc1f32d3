/* SPDX-License-Identifier: MIT */
/* A URL's host and port. */
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
	if (!is_port(*port))
		return refuse_host("what stands behind the host is no port from 1 to 65535", err);
	if (!bracket)
		return 0;
	*host = (struct span){host->from + 1, close};
	if (!close || close + 1 != (colon ? colon : part.to) || !is_v6(*host))
		return refuse_host("what stands in [ ] is no IPv6 address", err);
	return 0;
}

/* Check each host of a list with commas, which stays whole, for libpq. */
static int check_list(struct span part, struct dblock_error *err)
{
	int rc = 0;

	while (rc == 0 && part.from < part.to) {
		const char *comma = find(part, ',');
		struct span one = {part.from, comma ? comma : part.to}, host, port;

		rc = part_host(one, &host, &port, err);
		part.from = one.to < part.to ? one.to + 1 : part.to;
	}
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
	rc = find(part, ',') ? check_list(part, err) : part_host(part, &host, &port, err);
	if (rc == 0 && span_len(port) > 0)
		rc = dbl_url_decode(port, "port", &url->port, err);
	if (rc == 0 && span_len(host) > 0)
		rc = dbl_url_decode(host, "host", &url->host, err);
	return rc;
}
