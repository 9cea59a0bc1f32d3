/* SPDX-License-Identifier: MIT */
/* As much of HTTP/1.1 as a scrape needs: the head of a request, the head of an answer. */
#ifndef DBL_CLI_METRICS_HTTP_H
#define DBL_CLI_METRICS_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/metrics/snapshot.h"

enum { DBL_HTTP_HEAD_MAX = 8192 };

struct dbl_http_request {
	int status; /* to answer with; 0: its head is not complete */
	bool head;  /* without the body */
	enum dbl_metrics_format format;
};

/* Read what has come of a request. A body is not read: nothing that is answered with 200 has one. */
struct dbl_http_request dbl_http_read(const char *data, size_t size);

/* The answer, to be freed; body: of status 200, else NULL. NULL: there is no memory. */
char *dbl_http_answer(const struct dbl_http_request *, const char *body, size_t body_size,
		      size_t *size);

#endif
