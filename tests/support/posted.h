/* SPDX-License-Identifier: MIT */
/* A client whose releases are posted, and what its callback is told of those that fail. */
#ifndef TESTS_DB_POSTED_KIT_H
#define TESTS_DB_POSTED_KIT_H

#include "api/client.h"
#include "support/raw.h"
#include "support/spy.h"

struct failure {
	_Atomic int n;
	_Atomic int code;
	_Atomic int64_t token;
	char name[32];
	struct dblock_client *closes; /* the client that the callback tries to close; NULL: none */
	_Atomic int closed;
};

static inline void note_failure(void *arg, const char *name, int64_t token,
				const struct dblock_error *err)
{
	struct failure *failure = arg;

	snprintf(failure->name, sizeof(failure->name), "%s", name);
	failure->token = token;
	failure->code = err->code;
	if (failure->closes)
		failure->closed = (dblock_close)(failure->closes, NULL);
	failure->n++;
}

static struct failure failure;

static inline struct dblock_client *posting(struct spy *spy)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	failure = (struct failure){.n = 0};
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	TUNE(options, .post_releases = true, .release_failed = note_failure,
	     .release_failed_arg = &failure);
	expect(OK, dbl_client_open(test_url(), &options, &spy->env, &client, &err));
	return client;
}

static inline bool is_held(struct raw *raw, const char *name)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE name = '%s' AND nonce <> 0",
		       name) == 1;
}

static inline void until_free(struct raw *raw, const char *name)
{
	int64_t begun = clock_ms();

	while (is_held(raw, name) && clock_ms() - begun < PLENTY_MS)
		sleep_ms(1);
	assert_false(is_held(raw, name));
}

static inline int clean(void **state)
{
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_session");
	raw_exec(raw, "DELETE FROM dblock_lock");
	raw_close(raw);
	return 0;
}

static inline int make_tables(void **state)
{
	(void)state;
	dblock_close(client_new(0), NULL);
	return 0;
}

#endif
