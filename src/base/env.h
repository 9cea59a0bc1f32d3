/* SPDX-License-Identifier: MIT */
/* What the library takes from its environment: clocks, randomness, sleeping, and (in tests) the
 * driver. It is given as one struct at open, so that tests can replace it. */
#ifndef DBL_BASE_ENV_H
#define DBL_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct dbl_driver;
struct dbl_fs;

struct dbl_env {
	void *ctx;
	/* Microseconds on CLOCK_BOOTTIME, for every deadline. This clock goes on while the machine
	 * sleeps, and nobody can set it. NULL: the system's. */
	int64_t (*now)(void *ctx);
	/* Microseconds since 1970: for people and for tokens, never for a decision but how much a
	 * rate allows on SQLite. NULL: the system's. */
	int64_t (*wall)(void *ctx);
	/* Fill `bytes` with random bytes; not 0 on failure. */
	int (*random)(void *ctx, void *bytes, size_t len);
	/* Sleep until now() >= until, or a little longer. */
	void (*sleep_until)(void *ctx, int64_t until);
	/* A thread is about to wait until `until`, or until it is woken: an environment with a
	 * simulated clock may advance it now. NULL: nothing is called. */
	void (*idle)(void *ctx, int64_t until);
	/* Put a driver between the library and the one that the URL names; NULL: none. */
	const struct dbl_driver *(*intercept)(void *ctx, const struct dbl_driver *real);
	/* The file system at a path, as dbl_fs_read() tells; NULL: the system's answer. */
	int (*file_system)(void *ctx, const char *path, struct dbl_fs *);
};

/* The system's own environment. Constant; shared. */
const struct dbl_env *dbl_env_system(void);

/* Microseconds on one of the system's clocks. */
static inline int64_t dbl_clock_read(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static inline int64_t dbl_now(const struct dbl_env *env)
{
	return env->now ? env->now(env->ctx) : dbl_clock_read(CLOCK_BOOTTIME);
}

static inline int64_t dbl_wall(const struct dbl_env *env)
{
	return env->wall ? env->wall(env->ctx) : dbl_clock_read(CLOCK_REALTIME);
}

void dbl_sleep_until(const struct dbl_env *, int64_t until);

/* A random number in 1 .. INT64_MAX; 0: there is no randomness, so locks would not be safe. */
int64_t dbl_random_id(const struct dbl_env *);

/* 128 random bits as 32 hexadecimal digits; not 0 on failure. */
int dbl_random_hex(const struct dbl_env *, char hex[33]);

/* base plus a random part of up to a quarter of it: jitter for retries. */
int64_t dbl_jitter(const struct dbl_env *, int64_t base);

/* ms as us; INT64_MAX instead of an overflow. */
static inline int64_t dbl_ms(int64_t ms)
{
	return ms > INT64_MAX / 1000 ? INT64_MAX : ms * 1000;
}

/* a + b, or INT64_MAX instead of an overflow. Both are at least 0. */
static inline int64_t dbl_add(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static inline int64_t dbl_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

#define DBL_NEVER INT64_MAX

#endif
