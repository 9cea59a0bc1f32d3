/* SPDX-License-Identifier: MIT */
#include "base/url.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/url_own.h"

static bool is_file(const struct dbl_url *url)
{
	return strcmp(url->scheme, "sqlite") == 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that "%41" stands for; -1 if it is not two digits, or NUL. */
static int percent_byte(const char *at, const char *end)
{
	int high, low;

	if (end - at < 3)
		return -1;
	high = hex_digit(at[1]);
	low = hex_digit(at[2]);
	return high < 0 || low < 0 || high + low == 0 ? -1 : high * 16 + low;
}

int dbl_url_decode(struct span part, const char *what, char **out, struct dblock_error *err)
{
	char *to = *out = dbl_alloc(span_len(part) + 1);

	if (!to)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	for (const char *at = part.from; at < part.to; at++) {
		int byte = (unsigned char)*at;

		if (*at == '%') {
			byte = percent_byte(at, part.to);
			if (byte < 0)
				return dbl_fail(err, DBLOCK_E_INVALID,
						"URL: the %s has a %% that is not followed by two "
						"hexadecimal digits (or is %%00); write %%25 for a "
						"percent sign",
						what);
			at += 2;
		}
		*to++ = (char)byte;
	}
	return 0;
}

static const char *find_last(struct span in, char c)
{
	for (const char *at = in.to; at > in.from; at--) {
		if (at[-1] == c)
			return at - 1;
	}
	return NULL;
}

static int parse_scheme(struct dbl_url *url, struct span *rest, struct dblock_error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789+.-";
	const char *colon = find(*rest, ':');

	/* What has other characters is no scheme, and may be a secret: it is not shown. */
	if (!colon || colon == rest->from ||
	    strspn(rest->from, allowed) != (size_t)(colon - rest->from))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"URL: no scheme; it starts with sqlite:, postgresql:// or mysql://");
	url->scheme = dbl_strndup(rest->from, (size_t)(colon - rest->from));
	if (!url->scheme)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	for (char *c = url->scheme; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	rest->from = colon + 1;
	return 0;
}

static int parse_user(struct dbl_url *url, struct span part, struct dblock_error *err)
{
	const char *colon = find(part, ':');
	struct span user = {part.from, colon ? colon : part.to};
	struct span password = {colon ? colon + 1 : part.to, part.to};
	int rc = 0;

	if (colon) {
		url->password_raw = dbl_strndup(password.from, span_len(password));
		if (!url->password_raw)
			return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		rc = dbl_url_decode(password, "password", &url->password, err);
	}
	if (rc == 0 && span_len(user) > 0)
		rc = dbl_url_decode(user, "user", &url->user, err);
	return rc;
}

static int parse_authority(struct dbl_url *url, struct span *rest, struct dblock_error *err)
{
	struct span part = *rest;
	const char *slash = find(*rest, '/');
	const char *at;
	int rc = 0;

	/* The authority ends at a '/': check_authority() has refused one in a password. */
	part.to = slash ? slash : rest->to;
	rest->from = slash ? slash + 1 : rest->to;
	at = find_last(part, '@');
	if (at)
		rc = parse_user(url, (struct span){part.from, at}, err);
	if (rc == 0)
		rc = dbl_url_parse_host(url, (struct span){at ? at + 1 : part.from, part.to}, err);
	return rc;
}

static int parse_param(struct dbl_url *url, struct span part, struct dblock_error *err)
{
	const char *equals = find(part, '=');
	unsigned i = url->n_params;
	int rc;

	if (span_len(part) == 0)
		return 0;
	if (!equals)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: a parameter has no value; write ?key=value&key=value");
	if (i == DBL_URL_PARAMS_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID, "URL: more than %d parameters",
				DBL_URL_PARAMS_MAX);
	url->n_params++;
	rc = dbl_url_decode((struct span){part.from, equals}, "parameter's key",
			    &url->params[i].key, err);
	if (rc == 0)
		rc = dbl_url_decode((struct span){equals + 1, part.to}, "parameter's value",
				    &url->params[i].value, err);
	return rc;
}

static int parse_params(struct dbl_url *url, struct span *rest, struct dblock_error *err)
{
	const char *mark = find(*rest, '?');
	struct span query;
	int rc = 0;

	if (!mark)
		return 0;
	query = (struct span){mark + 1, rest->to};
	rest->to = mark;
	while (rc == 0 && query.from < query.to) {
		const char *end = find(query, '&');

		end = end ? end : query.to;
		rc = parse_param(url, (struct span){query.from, end}, err);
		query.from = end < query.to ? end + 1 : end;
	}
	return rc;
}

/* The URL for messages: all but the password and the parameters. */
static int make_shown(struct dbl_url *url, struct dblock_error *err)
{
	struct dbl_str s = {0};

	dbl_str_addf(&s, "%s:", url->scheme);
	if (!is_file(url)) {
		dbl_str_add(&s, "//");
		if (url->user)
			dbl_str_addf(&s, "%.*s@", (int)strcspn(url->user, ":"), url->user);
		dbl_str_add(&s, url->host ? url->host : "");
		if (url->port)
			dbl_str_addf(&s, ":%s", url->port);
		dbl_str_add(&s, "/");
	}
	dbl_str_add(&s, url->path ? url->path : "");
	url->shown = dbl_str_take(&s);
	return url->shown ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

/* A bare '/', '?' or '@' in a password cuts it in two, and its second half would be read, and
 * shown, as something else. An '@' behind the host tells of this, as none is needed there. */
static int check_authority(struct span rest, struct dblock_error *err)
{
	size_t slashes = strncmp(rest.from, "//", 2) == 0 ? 2 : 0;
	const char *end = rest.from + slashes + strcspn(rest.from + slashes, "/?");

	if (!find((struct span){end, rest.to}, '@'))
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID,
			"URL: there is an '@' behind the host; in a user name or password write "
			"%%2F for '/', %%3F for '?' and %%40 for '@', and %%40 also elsewhere");
}

/* Parse what is behind "//": the authority, or, for a file, only the path. */
static int parse_slashes(struct dbl_url *url, struct span *rest, struct dblock_error *err)
{
	if (!is_file(url))
		return parse_authority(url, rest, err);
	if (rest->from < rest->to && *rest->from == '/')
		return 0;
	return dbl_fail(
		err, DBLOCK_E_INVALID,
		"URL: sqlite:// names a host; write sqlite:PATH or sqlite:///absolute/path");
}

static int parse_all(struct dbl_url *url, const char *text, struct dblock_error *err)
{
	struct span rest = {text, text + strlen(text)};
	int rc = parse_scheme(url, &rest, err);

	if (rc == 0)
		rc = dbl_url_refuse_theirs(url, rest, err);
	if (rc == 0 && !is_file(url))
		rc = check_authority(rest, err);
	if (rc == 0)
		rc = parse_params(url, &rest, err);
	if (rc == 0 && strncmp(rest.from, "//", 2) == 0) {
		rest.from += 2;
		rc = parse_slashes(url, &rest, err);
	} else if (rc == 0 && !is_file(url)) {
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "URL: behind '%s:' there is no //; write postgresql:// or "
			      "mysql://user:password@host:port/database",
			      url->scheme);
	}
	if (rc == 0 && span_len(rest) > 0)
		rc = dbl_url_decode(rest, "path", &url->path, err);
	if (rc == 0)
		rc = make_shown(url, err);
	return rc;
}

int dbl_url_parse(struct dbl_url *url, const char *text, struct dblock_error *err)
{
	int rc;

	*url = (struct dbl_url){0};
	url->whole = dbl_strdup(text);
	url->good_host = dbl_alloc(sizeof(*url->good_host));
	if (!url->whole || !url->good_host)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = parse_all(url, text, err);
	if (rc)
		dbl_url_hide(url, err);
	return rc;
}

void dbl_url_free(struct dbl_url *url)
{
	for (unsigned i = 0; i < url->n_params; i++) {
		dbl_free(url->params[i].key);
		dbl_free(url->params[i].value);
	}
	for (unsigned i = 0; i < url->n_hosts; i++) {
		dbl_free(url->hosts[i].host);
		dbl_free(url->hosts[i].port);
	}
	dbl_free(url->whole);
	dbl_free(url->scheme);
	dbl_free(url->user);
	dbl_free(url->password);
	dbl_free(url->password_raw);
	dbl_free(url->host);
	dbl_free(url->port);
	dbl_free(url->path);
	dbl_free(url->shown);
	dbl_free(url->good_host);
	*url = (struct dbl_url){0};
}

const char *dbl_url_param(const struct dbl_url *url, const char *key)
{
	for (unsigned i = 0; i < url->n_params; i++) {
		if (url->params[i].key && strcmp(url->params[i].key, key) == 0)
			return url->params[i].value;
	}
	return NULL;
}

static bool is_known(const char *const *known, const char *key)
{
	for (; *known; known++) {
		if (strcmp(*known, key) == 0)
			return true;
	}
	return false;
}

/* An '&' in a password ends it, and its rest looks like a key: so no key is shown then. */
static int refuse_param(const struct dbl_url *url, unsigned i, struct dblock_error *err)
{
	if (dbl_url_param(url, "password"))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: parameter %u is unknown for %s, or is a part of the password "
				"(write %%26 for '&')",
				i + 1, url->scheme);
	return dbl_fail(err, DBLOCK_E_INVALID, "URL: unknown parameter '%s' for %s",
			url->params[i].key, url->scheme);
}

int dbl_url_check_params(const struct dbl_url *url, const char *const *known,
			 struct dblock_error *err)
{
	for (unsigned i = 0; i < url->n_params; i++) {
		if (is_known(known, url->params[i].key))
			continue;
		refuse_param(url, i, err);
		dbl_err_suffix(err, "; %s", *known ? "known:" : "it takes none");
		for (; *known; known++)
			dbl_err_suffix(err, " %s", *known);
		return DBLOCK_E_INVALID;
	}
	return 0;
}

/* Hide the secret only where it is between these texts, as in a URL: a password may be a common
 * word, and hiding that word everywhere would spoil the message, and tell the password. */
static void hide_between(struct dblock_error *err, const char *before, const char *secret,
			 const char *after, const char *instead)
{
	struct dbl_str s = {0};

	if (!err || !secret || !*secret)
		return;
	dbl_str_addf(&s, "%s%s%s", before, secret, after);
	dbl_err_replace(err, s.failed ? NULL : s.text, instead);
	dbl_str_free(&s);
}

void dbl_url_hide(const struct dbl_url *url, struct dblock_error *err)
{
	hide_between(err, ":", url->password_raw, "@", ":***@");
	hide_between(err, ":", url->password, "@", ":***@");
	hide_between(err, "password=", dbl_url_param(url, "password"), "", "password=***");
}
