/* SPDX-License-Identifier: MIT */
/* bench needs: curl */
/*
 * etcd through its JSON gateway, with one kept connection a thread: its lock service, and the plain
 * transaction (create if absent, delete). The gateway translates to gRPC within the server; the
 * round trip of this file is the cost of that without any lock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "bench.h"

/* Each thread has a lease: the lock service knows owners by their lease, and lets the same one in
 * twice. */
struct thread {
	const struct bench_place *place;
	char lease[32];
	CURL *curl;
	struct curl_slist *headers;
	char answer[4096];
	size_t n;
};

static size_t take_in(char *data, size_t size, size_t n, void *context)
{
	struct thread *t = context;
	size_t room = sizeof(t->answer) - 1 - t->n, all = size * n, part = all < room ? all : room;

	memcpy(t->answer + t->n, data, part);
	t->n += part;
	t->answer[t->n] = 0;
	return all;
}

static void post(struct thread *t, const char *path, const char *body)
{
	char url[160];
	CURLcode rc;
	long status = 0;

	snprintf(url, sizeof(url), "%s%s", t->place->url, path);
	t->n = 0;
	t->answer[0] = 0;
	curl_easy_setopt(t->curl, CURLOPT_URL, url);
	curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, body);
	rc = curl_easy_perform(t->curl);
	if (rc != CURLE_OK)
		bench_fail("etcd: %s", curl_easy_strerror(rc));
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		bench_fail("etcd: %s: %ld %s", path, status, t->answer);
}

/* Finds the text in the answer's "field":"text". */
static bool find(const struct thread *t, const char *field, char *text, size_t size)
{
	char pattern[40];
	const char *at;
	size_t n;

	snprintf(pattern, sizeof(pattern), "\"%s\":\"", field);
	at = strstr(t->answer, pattern);
	if (!at)
		return false;
	at += strlen(pattern);
	n = strcspn(at, "\"");
	snprintf(text, size, "%.*s", (int)n, at);
	return true;
}

static void base64(const char *from, char *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = strlen(from);

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned char)from[i] << 16;

		if (i + 1 < n)
			v |= (unsigned)(unsigned char)from[i + 1] << 8;
		if (i + 2 < n)
			v |= (unsigned char)from[i + 2];
		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[v & 63] : '=';
	}
	*to = 0;
}

static void make_curl(struct thread *t)
{
	t->curl = curl_easy_init();
	if (!t->curl)
		bench_fail("etcd: no curl");
	t->headers = curl_slist_append(NULL, "Content-Type: application/json");
	curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
	curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_in);
	curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
}

static void *enter(void *place)
{
	struct thread *t = bench_alloc(sizeof(*t));

	t->place = place;
	make_curl(t);
	post(t, "/v3/lease/grant", "{\"TTL\":60}");
	if (!find(t, "ID", t->lease, sizeof(t->lease)))
		bench_fail("etcd: no lease in %s", t->answer);
	return t;
}

static void leave(void *thread)
{
	struct thread *t = thread;
	char body[80];

	snprintf(body, sizeof(body), "{\"ID\":%s}", t->lease);
	post(t, "/v3/lease/revoke", body);
	curl_easy_cleanup(t->curl);
	curl_slist_free_all(t->headers);
}

static void *open_place(const struct bench_place *place)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
	return (void *)(uintptr_t)place;
}

/* --- a read, twice --- */

static void look(void *thread, const char *name, struct bench_grant *g)
{
	(void)name;
	(void)g;
	post(thread, "/v3/kv/range", "{\"key\":\"YQ==\"}");
}

/* --- the lock service --- */

static void lock(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char name64[120], body[240], text[200];

	base64(name, name64);
	snprintf(body, sizeof(body), "{\"name\":\"%s\",\"lease\":%s}", name64, t->lease);
	post(t, "/v3/lock/lock", body);
	if (!find(t, "revision", text, sizeof(text)))
		bench_fail("etcd: no revision in %s", t->answer);
	/* The header's revision is the one at the moment of the grant, so it is a fencing token. */
	g->token = atoll(text);
	if (!find(t, "key", text, sizeof(text)))
		bench_fail("etcd: no key in %s", t->answer);
	g->handle = strdup(text);
}

static void unlock(void *thread, const char *name, struct bench_grant *g)
{
	char body[240];

	(void)name;
	snprintf(body, sizeof(body), "{\"key\":\"%s\"}", (const char *)g->handle);
	post(thread, "/v3/lock/unlock", body);
	free(g->handle);
}

/* --- a transaction --- */

static void create(void *thread, const char *name, struct bench_grant *g)
{
	struct thread *t = thread;
	char name64[120], body[512], text[32];

	base64(name, name64);
	snprintf(body, sizeof(body),
		 "{\"compare\":[{\"key\":\"%s\",\"target\":\"CREATE\",\"createRevision\":\"0\"}],"
		 "\"success\":[{\"requestPut\":{\"key\":\"%s\",\"value\":\"MQ==\",\"lease\":%s}}]}",
		 name64, name64, t->lease);
	post(t, "/v3/kv/txn", body);
	while (!strstr(t->answer, "\"succeeded\":true")) {
		bench_sleep_us(1000);
		post(t, "/v3/kv/txn", body);
	}
	if (find(t, "revision", text, sizeof(text)))
		g->token = atoll(text);
}

static void erase(void *thread, const char *name, struct bench_grant *g)
{
	char name64[120], body[160];

	(void)g;
	base64(name, name64);
	snprintf(body, sizeof(body), "{\"key\":\"%s\"}", name64);
	post(thread, "/v3/kv/deleterange", body);
}

#define PEER .server = "etcd", .open = open_place, .enter = enter, .leave = leave

static const struct bench_subject subjects[] = {
	{PEER, .name = "etcd-round-trip", .brief = true, .in = "uncontended", .acquire = look,
	 .release = look},
	{PEER, .name = "etcd", .in = "uncontended hand-over takeover threads", .acquire = lock,
	 .release = unlock, .quick = true},
	{PEER, .name = "etcd-transaction", .in = "uncontended", .acquire = create,
	 .release = erase},
};

BENCH_SUBJECTS(subjects)
