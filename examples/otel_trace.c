/* SPDX-License-Identifier: MIT */
/*
 * Spans for OpenTelemetry: otel_trace [URL] takes a lock, works, gives it back, and prints a line of
 * OTLP/JSON for each span (what an OpenTelemetry Collector's otlpjsonfilereceiver reads from a file).
 * A program that has an SDK would make its spans in the callback instead; the parent is then the span
 * that is current on the thread, as the callback runs on the thread that made the call.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <dblock/dblock.h>

/* All spans of one run of this program are one trace. */
struct tracer {
	char trace_id[33];
};

static void random_hex(char *hex, size_t bytes)
{
	unsigned char random[16];

	if (getrandom(random, bytes, 0) != (ssize_t)bytes)
		abort();
	for (size_t i = 0; i < bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", random[i]);
}

/* A JSON string's inside: a lock's name is UTF-8 without control characters. */
static void escape(char *to, size_t size, const char *from)
{
	size_t n = 0;

	for (; *from && n + 3 < size; from++) {
		if (*from == '"' || *from == '\\')
			to[n++] = '\\';
		to[n++] = *from;
	}
	to[n] = '\0';
}

static const char *phase_name(enum dblock_phase phase)
{
	switch (phase) {
	case DBLOCK_PHASE_TRY:
		return "dblock try";
	case DBLOCK_PHASE_ACQUIRE:
		return "dblock acquire";
	case DBLOCK_PHASE_HOLD:
		return "dblock hold";
	case DBLOCK_PHASE_RELEASE:
		return "dblock release";
	case DBLOCK_PHASE_EXTEND:
		return "dblock extend";
	case DBLOCK_PHASE_HEARTBEAT:
		return "dblock heartbeat";
	}
	return "dblock"; /* of a library that is newer than this program */
}

/* One line: stdio locks the stream for a call, so lines of several threads do not mix. Kind 3 is a
 * client's span, 1 an internal one; status 2 is an error, and what was only refused is none. */
static void print_span(void *arg, const struct dblock_span *span)
{
	const struct tracer *tracer = arg;
	bool asks = span->phase != DBLOCK_PHASE_HOLD;
	char name[1024], id[17];

	escape(name, sizeof(name), span->name);
	random_hex(id, 8);
	printf("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
	       "\"value\":{\"stringValue\":\"otel_trace\"}}]},\"scopeSpans\":[{\"scope\":{"
	       "\"name\":\"dblock\",\"version\":\"%s\"},\"spans\":[{\"traceId\":\"%s\","
	       "\"spanId\":\"%s\",\"name\":\"%s\",\"kind\":%d,\"startTimeUnixNano\":\"%" PRId64
	       "000\",\"endTimeUnixNano\":\"%" PRId64 "000\",\"attributes\":["
	       "{\"key\":\"dblock.lock\",\"value\":{\"stringValue\":\"%s\"}},"
	       "{\"key\":\"dblock.token\",\"value\":{\"intValue\":\"%" PRId64 "\"}},"
	       "{\"key\":\"dblock.outcome\",\"value\":{\"stringValue\":\"%s\"}}],"
	       "\"status\":{\"code\":%d}}]}]}]}\n",
	       dblock_version(), tracer->trace_id, id, phase_name(span->phase), asks ? 3 : 1,
	       span->start_us, span->end_us, name, span->token, dblock_outcome_name(span->outcome),
	       span->outcome < 0 || span->outcome == DBLOCK_LOST ? 2 : 0);
}

static void work(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static int fail(struct dblock_client *client, const struct dblock_error *err)
{
	fprintf(stderr, "otel_trace: %s\n", err->message);
	dblock_close(client, NULL);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	const char *url = argc > 1 ? argv[1] : "sqlite:otel_trace.db";
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client = NULL;
	struct dblock_lock *lock;
	struct dblock_error err;
	struct tracer tracer;

	random_hex(tracer.trace_id, 16);
	options.auto_migrate = true;
	options.trace = print_span;
	options.trace_arg = &tracer;
	if (dblock_open(url, &options, &client, &err) ||
	    dblock_acquire(client, "the \"nightly\" job", NULL, &lock, &err))
		return fail(client, &err);
	work();
	if (dblock_release(lock, &err))
		return fail(client, &err);
	dblock_close(client, NULL);
	return EXIT_SUCCESS;
}
