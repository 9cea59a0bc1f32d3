/* SPDX-License-Identifier: MIT */
#include "redis.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

redisContext *bench_redis_open(const struct bench_place *place)
{
	redisContext *c = redisConnectUnix(place->url);

	/* A unix socket accepts only so many at once, so a refusal is tried again. */
	for (int i = 0; i < 1000 && c && c->err && errno == EAGAIN; i++) {
		redisFree(c);
		bench_sleep_us(1000);
		c = redisConnectUnix(place->url);
	}
	if (!c || c->err)
		bench_fail("redis: %s", c ? c->errstr : "no memory");
	return c;
}

redisReply *bench_redis(redisContext *c, int n, const char *const *words)
{
	redisReply *r = redisCommandArgv(c, n, (const char **)(uintptr_t)words, NULL);

	if (!r || r->type == REDIS_REPLY_ERROR)
		bench_fail("redis: %s", r ? r->str : c->errstr);
	return r;
}

long long bench_redis_number(redisContext *c, int n, const char *const *words)
{
	redisReply *r = bench_redis(c, n, words);
	long long number = r->type == REDIS_REPLY_INTEGER ? r->integer : -1;

	freeReplyObject(r);
	return number;
}

void bench_redis_load(redisContext *c, const char *script, char sha[41])
{
	redisReply *r = bench_redis(c, 3, (const char *[]){"SCRIPT", "LOAD", script});

	snprintf(sha, 41, "%s", r->str);
	freeReplyObject(r);
}

void bench_redis_hex(char text[17], uint64_t nonce)
{
	snprintf(text, 17, "%016llx", (unsigned long long)nonce);
}

bool bench_redis_try(redisContext *c, const char *name, uint64_t nonce)
{
	char text[17];
	redisReply *r;
	bool ours;

	bench_redis_hex(text, nonce);
	r = bench_redis(c, 6, (const char *[]){"SET", name, text, "NX", "PX", "30000"});
	ours = r->type == REDIS_REPLY_STATUS;
	freeReplyObject(r);
	return ours;
}
