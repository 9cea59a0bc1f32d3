/* SPDX-License-Identifier: MIT */
/* Opening and migrating while the network goes bad before each packet in turn. Both end at their
 * deadline, and leave nothing that keeps the next call from succeeding. */
#include "support/call.h"
#include "support/proxy.h"
#include "support/thin.h"

enum { TIMEOUT_MS = 600, MERCY_MS = 60000, AT_ONCE = 24, PACKETS_MAX = 1000 };

/* One call, with its own tables. */
struct go {
	int n; /* this many packets pass */
	enum proxy_mode mode;
	struct proxy *proxy;
	char prefix[32];
	struct call call;
	bool was_hit; /* there was an n-th packet to lose */
};

static struct dblock_client_options options_of(const struct go *go, int64_t timeout_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = timeout_ms;
	options.prefix = go->prefix;
	return options;
}

static int do_open(void *arg, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct go *go = arg;
	int rc;

	options.timeout_ms = TIMEOUT_MS;
	rc = dblock_open(proxy_url(go->proxy), &options, &client, err);
	dblock_close(client, NULL);
	return rc;
}

static int do_migrate(void *arg, struct dblock_error *err)
{
	struct go *go = arg;
	struct dblock_client_options options = options_of(go, TIMEOUT_MS);

	return dblock_migrate_up(proxy_url(go->proxy), &options, NULL, NULL, NULL, err);
}

static int do_migrate_directly(void *arg, struct dblock_error *err)
{
	struct go *go = arg;
	struct dblock_client_options options = options_of(go, PLENTY_MS);

	return dblock_migrate_up(test_url(), &options, NULL, NULL, NULL, err);
}

static void go_begin(struct go *go, int n, enum proxy_mode mode,
		     int (*run)(void *, struct dblock_error *))
{
	*go = (struct go){.n = n, .mode = mode, .proxy = proxy_new()};
	snprintf(go->prefix, sizeof(go->prefix), "n%d_", n);
	proxy_set_after(go->proxy, n, mode);
	call_start(&go->call, run, go);
}

static void go_end(struct go *go)
{
	call_end(&go->call);
	go->was_hit = proxy_has_hit(go->proxy);
	proxy_free(go->proxy);
}

/* Checks a call when all have ended: a failed assertion leaves the function whose memory they use.
 */
static void go_check(const struct go *go)
{
	const struct call *call = &go->call;

	/* The packets behind the last one that matters only say good-bye. A call that meets a loss
	 * goes on for TIMEOUT_MS in all, a migration for as long after its first one: on a slow
	 * machine that time may be over before it can connect again. */
	if (go->was_hit && call->rc && call->rc != DBLOCK_E_NO_ANSWER &&
	    call->rc != DBLOCK_E_UNSURE &&
	    !(call->rc == DBLOCK_E_UNAVAILABLE &&
	      (call->run == do_migrate || call->ended - call->begun >= TIMEOUT_MS)))
		fail_msg("packet %d: %s: %s", go->n, dblock_outcome_name(call->rc),
			 call->err.message);
	if (call->ended - call->begun > 2 * TIMEOUT_MS + MERCY_MS)
		fail_msg("packet %d: it took %lld ms", go->n,
			 (long long)(call->ended - call->begun));
}

/* Migrates without the proxy, all at once: each call has its own tables. */
static void migrate_what_was_begun(struct go *gos)
{
	for (int i = 0; i < AT_ONCE; i++)
		call_start(&gos[i].call, do_migrate_directly, &gos[i]);
	for (int i = 0; i < AT_ONCE; i++)
		call_end(&gos[i].call);
	for (int i = 0; i < AT_ONCE; i++) {
		const struct call *call = &gos[i].call;

		if (call->rc)
			fail_msg("packet %d: %s: %s", gos[i].n, dblock_outcome_name(call->rc),
				 call->err.message);
	}
}

/* A migration makes one file as the next, so on a server only each fourth packet is lost: each
 * packet of a file is lost for some other one. All are lost if all are to be tried
 * (support/thin.h). */
static int stride(int (*run)(void *, struct dblock_error *))
{
	return run == do_migrate && !tries_all() ? 4 : 1;
}

/* Returns true if the last of them had no n-th packet. */
static bool go_some(int first, enum proxy_mode mode, int (*run)(void *, struct dblock_error *))
{
	struct go gos[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++)
		go_begin(&gos[i], first + i * stride(run), mode, run);
	for (int i = 0; i < AT_ONCE; i++)
		go_end(&gos[i]);
	for (int i = 0; i < AT_ONCE; i++)
		go_check(&gos[i]);
	if (run == do_migrate)
		migrate_what_was_begun(gos);
	return !gos[AT_ONCE - 1].was_hit;
}

static void at_each_packet(enum proxy_mode mode, int (*run)(void *, struct dblock_error *))
{
	int first = on_backend("mysql") ? stride(run) - 1 : 0;

	dblock_close(client_new(0), NULL);
	while (!go_some(first, mode, run)) {
		first += AT_ONCE * stride(run);
		assert_true(first < PACKETS_MAX);
	}
	print_message("%d packets or fewer\n", first + AT_ONCE * stride(run));
}

static void an_opening_whose_packets_are_swallowed(void **state)
{
	(void)state;
	at_each_packet(PROXY_SILENT, do_open);
}

static void an_opening_whose_answers_are_swallowed(void **state)
{
	(void)state;
	at_each_packet(PROXY_SWALLOW, do_open);
}

static void a_migration_whose_answers_are_swallowed(void **state)
{
	(void)state;
	at_each_packet(PROXY_SWALLOW, do_migrate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_opening_whose_packets_are_swallowed),
		cmocka_unit_test(an_opening_whose_answers_are_swallowed),
		cmocka_unit_test(a_migration_whose_answers_are_swallowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
