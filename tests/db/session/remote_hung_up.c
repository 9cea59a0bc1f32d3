/* SPDX-License-Identifier: MIT */
/* The server hangs up while the client has nothing to say: that is news at once. What takes over
 * from a server that is gone may have forgotten a grant, and the next heartbeat is far away. */
#include "support/proxy.h"
#include "support/raw.h"

struct scene {
	struct proxy *proxy;
	struct raw *raw;
	struct dblock_client *client;
	struct dblock_lock *lock;
	_Atomic int lost;
};

static void told(void *arg, struct dblock_lock *lock)
{
	struct scene *s = arg;

	(void)lock;
	s->lost++;
}

/* A heartbeat is due a third of the ttl later, long after this test. */
static void begin(struct scene *s)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	*s = (struct scene){.proxy = proxy_new(), .raw = raw_open(NULL)};
	s->client = proxy_client(s->proxy, 30 * PLENTY_MS);
	how.lost = told;
	how.lost_arg = s;
	expect(OK, dblock_try(s->client, "x", &how, &s->lock, &err));
}

static void end(struct scene *s)
{
	dblock_close(s->client, NULL);
	proxy_free(s->proxy);
	raw_close(s->raw);
}

static int64_t beat(struct scene *s)
{
	return raw_int(s->raw, "SELECT max(beat) FROM dblock_session WHERE NOT dead");
}

/* Cuts until there is another beat: one that is cut off on its way is told again as it is. */
static void cut_for_a_beat(struct scene *s)
{
	int64_t before = beat(s), until = clock_ms() + PLENTY_MS, next = 0;

	while (beat(s) == before && clock_ms() < until) {
		if (clock_ms() >= next) {
			proxy_cut(s->proxy);
			next = clock_ms() + SLOWLY_MS(2000);
		}
		sleep_ms(5);
	}
	assert_true(beat(s) > before);
}

/* Naive: the end of the connection is noticed with the next heartbeat. */
static void what_is_forgotten(void **state)
{
	struct dblock_error err = {0};
	struct scene s;
	int64_t until;

	(void)state;
	begin(&s);
	raw_exec(s.raw, "DELETE FROM dblock_lock");
	proxy_cut(s.proxy);
	until = clock_ms() + PLENTY_MS;
	while (!s.lost && clock_ms() < until)
		sleep_ms(5);
	assert_int_equal(s.lost, 1);
	expect(LOST, dblock_release(s.lock, &err));
	message_has("forgotten");
	end(&s);
}

/* Again and again: each new connection is watched as well. */
static void what_stands(void **state)
{
	struct scene s;

	(void)state;
	begin(&s);
	for (int i = 0; i < 3; i++)
		cut_for_a_beat(&s);
	assert_int_equal(s.lost, 0);
	assert_true(dblock_valid(s.lock, 0));
	give(s.lock);
	end(&s);
}

/* Who hangs up at once, each time, as a proxy without a server does, is not asked all the time. */
static void who_hangs_up_always(void **state)
{
	int64_t until, before, beats = 0;
	struct scene s;

	(void)state;
	begin(&s);
	before = beat(&s);
	until = clock_ms() + 2000;
	while (clock_ms() < until) {
		int64_t now = beat(&s);

		beats += now != before;
		before = now;
		proxy_cut(s.proxy);
	}
	assert_true(beats <= 2000 / 100 + 1);
	give(s.lock);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_forgotten),
		cmocka_unit_test(what_stands),
		cmocka_unit_test(who_hangs_up_always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
