/* SPDX-License-Identifier: MIT */
/* Whoever ends a grant, and in whatever way, the lock goes to the first in the queue, always by the
 * same statements, with all that he asked for. */
#include "db/lock/queue/queue_kit.h"
#include "support/by_token.h"

static void a_release_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->c, "x");
	int64_t token = dblock_token(lock);

	puppet_waits(s);
	give(lock);
	is_the_puppets(s, token);
}

static void a_release_by_token_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->c, "x");
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	puppet_waits(s);
	release_by_token(s->a, "x", lock);
	/* After that release the lock is not theirs to release. */
	expect(STALE, dblock_release_token(s->a, "x", token, &err));
	is_the_puppets(s, token);
}

/* Naive: a break only frees the lock. */
static void a_break_hands_over(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->c, "x");
	int64_t token = dblock_token(lock);
	struct dblock_error err = {0};

	puppet_waits(s);
	expect(OK, break_by_force(s->a, "x", token, 0, &err));
	expect(STALE, break_by_force(s->a, "x", token, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	is_the_puppets(s, token);
}

/* Naive: a close leaves the locks of its ended session to whoever comes first. */
static void closing_hands_over(void **state)
{
	struct scene *s = *state;
	int64_t token = dblock_token(take(s->c, "x"));

	puppet_waits(s);
	dblock_close(s->c, NULL);
	s->c = NULL;
	is_the_puppets(s, token);
}

/* Naive: the reaper frees what the dead held, though others wait. */
static void the_reaper_hands_over_from_the_dead(void **state)
{
	struct scene *s = *state;
	struct puppet *dead = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	struct dblock_error err = {0};

	assert_true(puppet_takes(dead, "x"));
	puppet_waits(s);
	assert_true(puppet_is_dead(dead, dead->beat, dead->ttl));
	expect(OK, dblock_reap(s->a, NULL, NULL, &err));
	is_the_puppets(s, dead->token);
	puppet_free(dead);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_release_hands_over),
		CASE(a_release_by_token_hands_over),
		CASE(a_break_hands_over),
		CASE(closing_hands_over),
		CASE(the_reaper_hands_over_from_the_dead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
