/* SPDX-License-Identifier: MIT */
/* A URL with other hosts, with another database, or without its password. */
#include <ctype.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/url_own.h"

/* A host that is a folder, for a socket, has its slashes encoded, as nothing else of it need be. */
static void add_hosts(struct dbl_str *s, const char *hosts)
{
	for (; *hosts; hosts++) {
		if (isalnum((unsigned char)*hosts) || strchr("-._~:,[]", *hosts))
			dbl_str_addf(s, "%c", *hosts);
		else
			dbl_str_addf(s, "%%%02X", (unsigned char)*hosts);
	}
}

static size_t authority_at(const struct dbl_url *url)
{
	return strlen(url->scheme) + strlen("://");
}

/* Return the text of the URL, its authority's hosts replaced; or NULL. */
static char *replace_hosts(const struct dbl_url *url, const char *hosts)
{
	const char *from = url->whole + authority_at(url);
	const char *end = from + strcspn(from, "/?");
	struct dbl_str s = {0};

	for (const char *at = from; at < end; at++) {
		if (*at == '@')
			from = at + 1;
	}
	dbl_str_addf(&s, "%.*s", (int)(from - url->whole), url->whole);
	add_hosts(&s, hosts);
	dbl_str_add(&s, end);
	return dbl_str_take(&s);
}

/* Parse the text, which is freed, without these parameters. */
static int parse_without(struct dbl_url *url, char *whole, const char *const *keys,
			 struct dblock_error *err)
{
	struct dbl_url text = {.whole = whole};
	int rc = whole ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");

	*url = (struct dbl_url){0};
	for (; *keys && rc == 0; keys++)
		rc = dbl_url_take(&text, *keys, err);
	if (rc == 0)
		rc = dbl_url_parse(url, text.whole, err);
	dbl_free(text.whole);
	return rc;
}

int dbl_url_elsewhere(struct dbl_url *url, const struct dbl_url *of, const char *hosts,
		      struct dblock_error *err)
{
	static const char *const keys[] = {"host", "hostaddr", "port", NULL};

	return parse_without(url, replace_hosts(of, hosts), keys, err);
}

int dbl_url_beside(struct dbl_url *url, const struct dbl_url *of, const char *database,
		   struct dblock_error *err)
{
	static const char *const keys[] = {"dbname", NULL};
	size_t head = authority_at(of) + strcspn(of->whole + authority_at(of), "/?");
	const char *query = strchr(of->whole + head, '?');
	struct dbl_str s = {0};

	dbl_str_addf(&s, "%.*s/%s%s", (int)head, of->whole, database, query ? query : "");
	return parse_without(url, dbl_str_take(&s), keys, err);
}

/* The password is what is between the first colon and the last '@' of the authority. */
static char *without_password(const struct dbl_url *url)
{
	const char *from = url->whole + authority_at(url), *end = from + strcspn(from, "/?");
	const char *at = end, *colon;
	struct dbl_str s = {0};

	while (at > from && *at != '@')
		at--;
	colon = memchr(from, ':', (size_t)(at - from));
	if (at == from || !colon)
		return dbl_strdup(url->whole);
	dbl_str_addf(&s, "%.*s%s", (int)(colon - url->whole), url->whole, at);
	return dbl_str_take(&s);
}

char *dbl_url_open_text(const struct dbl_url *url)
{
	struct dbl_url text = {.whole = without_password(url)};

	if (text.whole && dbl_url_take(&text, "password", NULL)) {
		dbl_free(text.whole);
		return NULL;
	}
	return text.whole;
}
