/* SPDX-License-Identifier: MIT */
/* Parameters that are ours are taken out of a URL before a client library reads it. */
#include "base/mem.h"
#include "base/url_own.h"

static bool is_key(struct span param, const char *key)
{
	size_t len = strlen(key);

	return span_len(param) > len && strncmp(param.from, key, len) == 0 &&
	       param.from[len] == '=';
}

/* Copy a query without the parameter of that key. */
static void copy_without(char *to, const char *query, const char *key)
{
	bool first = true;

	while (*query) {
		struct span param = {query, query + strcspn(query, "&")};

		if (!is_key(param, key)) {
			*to++ = first ? '?' : '&';
			memcpy(to, param.from, span_len(param));
			to += span_len(param);
			first = false;
		}
		query = param.to + (*param.to == '&');
	}
	*to = '\0';
}

int dbl_url_take(struct dbl_url *url, const char *key, struct dblock_error *err)
{
	const char *mark = strchr(url->whole, '?');
	char *without = dbl_strdup(url->whole);

	if (!without)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (mark)
		copy_without(without + (mark - url->whole), mark + 1, key);
	dbl_free(url->whole);
	url->whole = without;
	return 0;
}
