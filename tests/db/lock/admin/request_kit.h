/* SPDX-License-Identifier: MIT */
/* Tests of requests share these; they count statements. */
#ifndef TESTS_DB_REQUEST_KIT_H
#define TESTS_DB_REQUEST_KIT_H

#include "support/puppet.h"
#include "support/waiting.h"

/* No heartbeat comes within the time that a test takes. */
enum { DAY_MS = 24 * 3600 * 1000 };

struct scene {
	struct spy *spy;
	struct dblock_client *holder; /* is spied on; its heartbeats are a day apart */
	struct dblock_client *other;
	struct raw *raw;
	_Atomic int told;
};

static inline int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->spy = spy_new();
	s->holder = spy_client(s->spy, 0);
	s->other = client_new(DAY_MS);
	s->raw = raw_open(NULL);
	/* Earlier tests leave requests that nobody has heard of, or that nobody is left to forget.
	 */
	raw_exec(s->raw, "DELETE FROM dblock_request");
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	dblock_close(s->holder, NULL);
	dblock_close(s->other, NULL);
	spy_free(s->spy);
	free(s);
	return 0;
}

static inline void requested(void *arg, struct dblock_lock *lock,
			     const struct dblock_release_request *request)
{
	struct scene *s = arg;

	(void)lock;
	(void)request;
	s->told++;
}

static inline struct dblock_lock *take_listening(struct scene *s, struct dblock_client *client,
						 const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.release_requested = requested;
	options.release_requested_arg = s;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static inline void ask(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};

	expect(OK, dblock_request_release(client, name, "why", &err));
}

static inline int64_t standing(struct scene *s)
{
	return raw_int(s->raw, "SELECT count(*) FROM dblock_request");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
