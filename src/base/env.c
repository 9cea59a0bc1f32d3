/* SPDX-License-Identifier: MIT */
#include "base/env.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#define US_PER_S 1000000LL

static int system_random(void *ctx, void *bytes, size_t len)
{
	char *at = bytes;

	(void)ctx;
	while (len > 0) {
		ssize_t got = getrandom(at, len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		at += got;
		len -= (size_t)got;
	}
	return 0;
}

static void system_sleep_until(void *ctx, int64_t until)
{
	struct timespec t = {.tv_sec = until / US_PER_S, .tv_nsec = until % US_PER_S * 1000};

	(void)ctx;
	while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

const struct dbl_env *dbl_env_system(void)
{
	static const struct dbl_env env = {
		.random = system_random,
		.sleep_until = system_sleep_until,
	};

	return &env;
}

void dbl_sleep_until(const struct dbl_env *env, int64_t until)
{
	env->sleep_until(env->ctx, until);
}

int64_t dbl_random_id(const struct dbl_env *env)
{
	uint64_t bits = 0;

	while (bits == 0) {
		if (env->random(env->ctx, &bits, sizeof(bits)))
			return 0;
		bits &= (uint64_t)INT64_MAX;
	}
	return (int64_t)bits;
}

int dbl_random_hex(const struct dbl_env *env, char hex[33])
{
	unsigned char bytes[16];

	if (env->random(env->ctx, bytes, sizeof(bytes)))
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int64_t dbl_jitter(const struct dbl_env *env, int64_t base)
{
	return base >= 4 ? base + dbl_random_id(env) % (base / 4) : base;
}
