/* SPDX-License-Identifier: MIT */
/* What the files that read URLs share. */
#ifndef DBL_BASE_URL_OWN_H
#define DBL_BASE_URL_OWN_H

#include <stddef.h>
#include <string.h>

#include "base/url.h"

/* A part of the text being parsed. */
struct span {
	const char *from, *to;
};

static inline size_t span_len(struct span s)
{
	return (size_t)(s.to - s.from);
}

static inline const char *find(struct span in, char c)
{
	return in.from < in.to ? memchr(in.from, c, span_len(in)) : NULL;
}

/* Percent-decode a part; `what` names it in the message. */
int dbl_url_decode(struct span part, const char *what, char **out, struct dblock_error *err);

/* Refuse what other tools write, where it is known what to write here; `rest` is behind the scheme. 0: it is
 * nothing of that kind. */
int dbl_url_refuse_theirs(const struct dbl_url *, struct span rest, struct dblock_error *err);

/* Parse host, host:port, [v6], [v6]:port, or a list of them. What does not look like one is refused,
 * and not shown. */
int dbl_url_parse_host(struct dbl_url *, struct span part, struct dblock_error *err);

#endif
