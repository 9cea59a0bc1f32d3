/* SPDX-License-Identifier: MIT */
/* The subjects on Redis share these. Any failure ends the process. */
#ifndef BENCH_REDIS_H
#define BENCH_REDIS_H

#include <hiredis/hiredis.h>

#include "bench.h"

/* Deletes a key if it still has the nonce, and returns 1, else 0. */
#define BENCH_REDIS_RELEASE                                                                        \
	"if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1])"          \
	" else return 0 end"

redisContext *bench_redis_open(const struct bench_place *);
/* Loads a script for EVALSHA; its SHA-1 has 40 digits. */
void bench_redis_load(redisContext *, const char *script, char sha[41]);
/* Returns a command's reply, which the caller frees; it is never an error. */
redisReply *bench_redis(redisContext *, int n, const char *const *words);
/* Runs a command, and returns its number; -1: nil, or a status. */
long long bench_redis_number(redisContext *, int n, const char *const *words);
/* Runs SET name nonce NX PX, and tells whether the lock is ours. */
bool bench_redis_try(redisContext *, const char *name, uint64_t nonce);
void bench_redis_hex(char text[17], uint64_t nonce);

#endif
