/* SPDX-License-Identifier: MIT */
/* The head of a request, whole and in pieces; what it accepts; and the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/metrics/http.h"

static struct dbl_http_request read_text(const char *text)
{
	return dbl_http_read(text, strlen(text));
}

/* It is answered so, and not before its end has come. */
static void status_is(int status, const char *text)
{
	for (size_t size = 0; size < strlen(text); size++)
		assert_int_equal(dbl_http_read(text, size).status, 0);
	assert_int_equal(read_text(text).status, status);
}

static void statuses(void **unused)
{
	(void)unused;
	status_is(200, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	status_is(200, "GET /metrics HTTP/1.0\n\n");
	status_is(200, "HEAD /metrics?a=b HTTP/1.1\r\n\r\n");
	status_is(200, "GET HTTP://host:1/metrics HTTP/1.1\r\n\r\n");
	status_is(404, "GET http://host:1 HTTP/1.1\r\n\r\n");
	status_is(404, "GET / HTTP/1.1\r\n\r\n");
	status_is(404, "GET /metricsx HTTP/1.1\r\n\r\n");
	status_is(404, "POST /x HTTP/1.1\r\n\r\n");
	status_is(405, "POST /metrics HTTP/1.1\r\n\r\n");
	status_is(405, "get /metrics HTTP/1.1\r\n\r\n");
	status_is(405, "GETS /metrics HTTP/1.1\r\n\r\n");
	status_is(400, "GET /metrics\r\n\r\n");
	status_is(400, "GET\r\n\r\n");
	status_is(400, "GET  /metrics HTTP/1.1\r\n\r\n");
	status_is(400, "\r\n\r\n");
	status_is(505, "GET /metrics HTTP/2.0\r\n\r\n");
	status_is(505, "GET /metrics HTTP/1.10\r\n\r\n");
	status_is(505, "GET /metrics x\r\n\r\n");
	assert_true(read_text("HEAD /metrics HTTP/1.1\r\n\r\n").head);
	assert_false(read_text("GET /metrics HTTP/1.1\r\n\r\n").head);
	assert_int_equal(dbl_http_read("GET /metrics HTTP/1.1\r\nX: \0\r\n\r\n", 31).status, 400);
}

static void too_large(void **unused)
{
	static char head[DBL_HTTP_HEAD_MAX];

	(void)unused;
	memset(head, 'x', sizeof(head));
	assert_int_equal(dbl_http_read(head, sizeof(head) - 1).status, 0);
	assert_int_equal(dbl_http_read(head, sizeof(head)).status, 431);
}

static void accepts(enum dbl_metrics_format format, const char *what)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "GET /metrics HTTP/1.1\r\nHost: x\r\naccept:%s\r\nX: y\r\n\r\n", what);
	assert_int_equal(read_text(text).status, 200);
	assert_int_equal(read_text(text).format, format);
}

static void formats(void **unused)
{
	(void)unused;
	accepts(DBL_METRICS_TEXT, "");
	accepts(DBL_METRICS_TEXT, "*/*");
	accepts(DBL_METRICS_TEXT, "text/plain;version=0.0.4");
	accepts(DBL_METRICS_TEXT, "application/openmetrics-text2");
	accepts(DBL_METRICS_TEXT, "x; y=application/openmetrics-text");
	accepts(DBL_METRICS_TEXT, "application/openmetrics-text; q=0, */*");
	accepts(DBL_METRICS_TEXT, "application/openmetrics-text;q=0.2,text/plain;q=0.3");
	accepts(DBL_METRICS_OPENMETRICS, "application/openmetrics-text");
	accepts(DBL_METRICS_OPENMETRICS,
		" Application/OpenMetrics-Text ; version=1.0.0 ; charset=utf-8");
	accepts(DBL_METRICS_OPENMETRICS, "text/plain;q=0.3, application/openmetrics-text;q=0.5");
	accepts(DBL_METRICS_OPENMETRICS,
		"a,,application/openmetrics-text;version=0.0.1;Q=0.75,*/*;q=0.1");
	accepts(DBL_METRICS_TEXT, ",;=,;q=,q;;");
}

static void answer_is(const struct dbl_http_request *request, const char *body, const char *first,
		      const char *last)
{
	size_t size = 0;
	char *answer = dbl_http_answer(request, body, body ? strlen(body) : 0, &size);

	assert_non_null(answer);
	assert_int_equal(size, strlen(answer));
	assert_memory_equal(answer, first, strlen(first));
	assert_string_equal(answer + size - strlen(last), last);
	free(answer);
}

static void answers(void **unused)
{
	struct dbl_http_request request = {.status = 200};

	(void)unused;
	answer_is(&request, "abc\n", "HTTP/1.1 200 OK\r\nDate: ",
		  "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 4\r\n"
		  "Vary: Accept\r\nConnection: close\r\n\r\nabc\n");
	request.head = true;
	answer_is(&request, "abc\n", "HTTP/1.1 200 OK\r\n",
		  "Content-Length: 4\r\nVary: Accept\r\nConnection: close\r\n\r\n");
	request = (struct dbl_http_request){.status = 405};
	answer_is(&request, NULL, "HTTP/1.1 405 Method Not Allowed\r\n", "and nothing else\n");
	for (const int *status = (const int[]){400, 404, 408, 431, 500, 505, 0}; *status;
	     status++) {
		char first[64];

		request.status = *status;
		snprintf(first, sizeof(first), "HTTP/1.1 %d ", *status);
		answer_is(&request, NULL, first, "\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),
		cmocka_unit_test(too_large),
		cmocka_unit_test(formats),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
