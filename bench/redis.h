/* SPDX-License-Identifier: MIT */
/* What the subjects on Redis share. Whatever fails ends the process. */
#ifndef BENCH_REDIS_H
#define BENCH_REDIS_H

#include <hiredis/hiredis.h>

#include "bench.h"

/* Deletes a key if it still has the nonce: 1, else 0. */
#define BENCH_REDIS_RELEASE                                                                        \
	"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1])"          \
	" else return 0 end"

redisContext *bench_redis_open(const struct bench_place *);
/* Of a script: its SHA-1, 40 digits, loaded for EVALSHA. */
void bench_redis_load(redisContext *, const char *script, char sha[41]);
/* A command's reply, to be freed; never an error. */
redisReply *bench_redis(redisContext *, int n, const char *const *words);
/* The same, and its number; -1: nil, or a status. */
long long bench_redis_number(redisContext *, int n, const char *const *words);
/* SET name nonce NX PX: is it ours? */
bool bench_redis_try(redisContext *, const char *name, uint64_t nonce);
void bench_redis_hex(char text[17], uint64_t nonce);

#endif
