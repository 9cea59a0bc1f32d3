/* SPDX-License-Identifier: MIT */
#include "cli/metrics/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* A piece of the head, which is not ended by a NUL. */
struct piece {
	const char *at;
	size_t size;
};

static bool is(struct piece piece, const char *word)
{
	return piece.size == strlen(word) && strncasecmp(piece.at, word, piece.size) == 0;
}

static struct piece trim(struct piece p)
{
	while (p.size && strchr(" \t\r", p.at[p.size - 1]))
		p.size--;
	for (; p.size && strchr(" \t", *p.at); p.size--)
		p.at++;
	return p;
}

/* Take what is before the next of these bytes off the front, and that byte. */
static struct piece take(struct piece *rest, char until)
{
	const char *end = memchr(rest->at, until, rest->size);
	struct piece taken = {rest->at, end ? (size_t)(end - rest->at) : rest->size};
	size_t gone = taken.size + (end != NULL);

	rest->at += gone;
	rest->size -= gone;
	return taken;
}

/* The weight of a media range, in thousandths: "; q=0.5". */
static int weight_of(struct piece parameters)
{
	while (parameters.size) {
		struct piece value = trim(take(&parameters, ';'));
		struct piece name = trim(take(&value, '='));
		char text[8];

		if (!is(name, "q"))
			continue;
		value = trim(value);
		snprintf(text, sizeof(text), "%.*s", (int)value.size, value.at);
		return (int)(strtod(text, NULL) * 1000);
	}
	return 1000;
}

/* OpenMetrics is for who asks for it by name, and for nothing else more. */
static enum dbl_metrics_format format_of(struct piece accept)
{
	int open = 0, text = 0;

	while (accept.size) {
		struct piece range = take(&accept, ',');
		struct piece type = trim(take(&range, ';'));
		int weight = weight_of(range);

		if (is(type, "application/openmetrics-text") && weight > open)
			open = weight;
		if (is(type, "text/plain") && weight > text)
			text = weight;
	}
	return open && open >= text ? DBL_METRICS_OPENMETRICS : DBL_METRICS_TEXT;
}

/* The path, also of a target with a scheme and a host; without a query. */
static struct piece path_of(struct piece target)
{
	static const char scheme[] = "http://";

	if (target.size >= strlen(scheme) && strncasecmp(target.at, scheme, strlen(scheme)) == 0) {
		target.at += strlen(scheme);
		target.size -= strlen(scheme);
		while (target.size && *target.at != '/') {
			target.at++;
			target.size--;
		}
	}
	return take(&target, '?');
}

static void read_line(struct dbl_http_request *request, struct piece line)
{
	struct piece method = take(&line, ' '), target = take(&line, ' '), version = trim(line);
	bool known = version.size == strlen("HTTP/1.x") &&
		     memcmp(version.at, "HTTP/1.", strlen("HTTP/1.")) == 0;

	request->head = method.size == 4 && memcmp(method.at, "HEAD", 4) == 0;
	if (!method.size || !target.size || !version.size)
		request->status = 400;
	else if (!known)
		request->status = 505;
	else if (!is(path_of(target), "/metrics"))
		request->status = 404;
	else if (!request->head && !(method.size == 3 && memcmp(method.at, "GET", 3) == 0))
		request->status = 405;
	else
		request->status = 200;
}

/* The size of the head, up to its empty line; 0: that has not come. */
static size_t head_size(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (data[i] != '\n')
			continue;
		if (i + 1 < size && data[i + 1] == '\n')
			return i + 1;
		if (i + 2 < size && data[i + 1] == '\r' && data[i + 2] == '\n')
			return i + 1;
	}
	return 0;
}

struct dbl_http_request dbl_http_read(const char *data, size_t size)
{
	struct dbl_http_request request = {.format = DBL_METRICS_TEXT};
	struct piece head = {data, head_size(data, size)};

	if (!head.size) {
		request.status = size >= DBL_HTTP_HEAD_MAX ? 431 : 0;
		return request;
	}
	if (memchr(head.at, '\0', head.size)) {
		request.status = 400;
		return request;
	}
	read_line(&request, take(&head, '\n'));
	while (head.size) {
		struct piece value = take(&head, '\n');
		struct piece name = take(&value, ':');

		if (is(name, "Accept"))
			request.format = format_of(trim(value));
	}
	return request;
}

static const struct {
	int status;
	const char *reason, *text;
} statuses[] = {
	{200, "OK", ""},
	{400, "Bad Request", "this is not a request of HTTP/1.1\n"},
	{404, "Not Found", "there is nothing here but /metrics\n"},
	{405, "Method Not Allowed", "the metrics can be read (GET, HEAD), and nothing else\n"},
	{408, "Request Timeout", "the request took too long\n"},
	{431, "Request Header Fields Too Large", "the head of the request is too large\n"},
	{500, "Internal Server Error", "out of memory\n"},
	{505, "HTTP Version Not Supported", "HTTP/1.1 is spoken here\n"},
};

static const char *type_of(const struct dbl_http_request *request)
{
	if (request->status != 200)
		return "text/plain; charset=utf-8";
	return request->format == DBL_METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}

static void print_date(FILE *out)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[64];

	if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm))
		fprintf(out, "Date: %s\r\n", text);
}

char *dbl_http_answer(const struct dbl_http_request *request, const char *body, size_t body_size,
		      size_t *size)
{
	char *answer = NULL;
	size_t at = 0;
	FILE *out = open_memstream(&answer, size);
	bool bad;

	if (!out)
		return NULL;
	while (statuses[at].status != request->status)
		at++;
	if (!body) {
		body = statuses[at].text;
		body_size = strlen(body);
	}
	fprintf(out, "HTTP/1.1 %d %s\r\n", request->status, statuses[at].reason);
	print_date(out);
	fprintf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n", type_of(request), body_size);
	if (request->status == 405)
		fputs("Allow: GET, HEAD\r\n", out);
	fputs("Vary: Accept\r\nConnection: close\r\n\r\n", out);
	if (!request->head)
		fwrite(body, 1, body_size, out);
	bad = ferror(out);
	if (fclose(out) == 0 && !bad)
		return answer;
	free(answer);
	return NULL;
}
