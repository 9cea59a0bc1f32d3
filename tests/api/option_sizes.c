/* SPDX-License-Identifier: MIT */
/* Structs that begin with their size: one of an older header is taken, one that asks for what this
 * library does not know is refused, and so is one that ends in the middle of a member. */
#include "api/sized.h"

enum { ROOM = 70000 };

static int set_up(void **state)
{
	static struct stage stage;
	struct dblock_error err = {0};

	stage.client = client_new(0);
	stage.lock = take(stage.client, "held");
	expect(OK, dblock_tx_open(stage.client, &stage.tx, &err));
	*state = &stage;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *s = *state;

	dblock_tx_close(s->tx);
	return (dblock_close)(s->client, NULL);
}

/* One of that size, of which one byte is not 0, if that is behind the size. */
static int call_with(struct stage *s, const struct sized *it, size_t size, size_t byte,
		     struct dblock_error *err)
{
	static union {
		char bytes[ROOM];
		max_align_t aligned;
	} options;

	memset(&options, 0, sizeof(options));
	memcpy(&options, &size, sizeof(size));
	if (byte)
		options.bytes[byte] = 1;
	*err = (struct dblock_error){0};
	return it->call(s, &options, err);
}

static void is_taken(struct stage *s, const struct sized *it, size_t size)
{
	struct dblock_error err;
	int rc = call_with(s, it, size, 0, &err);

	if (it->fails && rc == DBLOCK_E_INVALID && !strstr(err.message, it->name))
		rc = 0;
	if (rc)
		print_error("%s of %zu bytes (%zu is ours)\n", it->name, size, it->size);
	expect(OK, rc);
}

static void is_refused(struct stage *s, const struct sized *it, size_t size, size_t byte,
		       const char *why)
{
	struct dblock_error err;

	expect(E_INVALID, call_with(s, it, size, byte, &err));
	message_has(it->name);
	message_has(why);
}

static void older_and_newer_headers(void **state)
{
	for (int i = 0; i < N; i++) {
		is_taken(*state, &all[i], sizeof(size_t));
		is_taken(*state, &all[i], all[i].size);
		is_taken(*state, &all[i], all[i].size + 8);
		is_taken(*state, &all[i], all[i].size + 800);
	}
}

static void members_that_are_not_known(void **state)
{
	for (int i = 0; i < N; i++) {
		size_t size = all[i].size;

		is_refused(*state, &all[i], size + 8, size, "older");
		is_refused(*state, &all[i], size + 800, size + 799, "older");
	}
}

static void sizes_that_no_header_has(void **state)
{
	for (int i = 0; i < N; i++) {
		size_t size = all[i].size;

		is_refused(*state, &all[i], 0, 0, "_INIT");
		is_refused(*state, &all[i], 1, 0, "_INIT");
		is_refused(*state, &all[i], sizeof(size_t) - 1, 0, "_INIT");
		is_refused(*state, &all[i], size - 1, 0, "_INIT");
		is_refused(*state, &all[i], size - 4, 0, "_INIT");
		is_refused(*state, &all[i], size + 1, 0, "_INIT");
		is_refused(*state, &all[i], 65544, 0, "_INIT");
		is_refused(*state, &all[i], SIZE_MAX, 0, "_INIT");
	}
}

static void a_leader_is_told_as_far_as_there_is_room(void **state)
{
	struct {
		struct dblock_leader leader;
		char behind[8];
	} seen = {.leader = DBLOCK_LEADER_INIT};
	struct stage *s = *state;
	struct dblock_error err = {0};

	seen.leader.size = 1;
	expect(E_INVALID, dblock_leader_of(s->client, "held", &seen.leader, &err));
	message_has("DBLOCK_LEADER");
	/* An older header's has fewer members: what follows it is not ours. */
	seen.leader.size = offsetof(struct dblock_leader, token) + sizeof(seen.leader.token);
	memset(seen.leader.value, 'x', 8);
	expect(OK, dblock_leader_of(s->client, "held", &seen.leader, &err));
	assert_int_equal(seen.leader.token, dblock_token(s->lock));
	assert_memory_equal(seen.leader.value, "xxxxxxxx", 8);
	seen.leader = (struct dblock_leader)DBLOCK_LEADER_INIT;
	seen.leader.size = sizeof(seen);
	expect(OK, dblock_leader_of(s->client, "held", &seen.leader, &err));
	assert_int_equal(seen.leader.token, dblock_token(s->lock));
	seen.behind[7] = 1;
	expect(E_INVALID, dblock_leader_of(s->client, "held", &seen.leader, &err));
	message_has("older");
}

static void a_part_has_room_or_is_not_told(void **state)
{
	struct dblock_member part = DBLOCK_MEMBER_INIT;
	struct stage *s = *state;

	assert_true(dblock_member_of(s->lock, 0, &part));
	assert_int_equal(part.token, dblock_token(s->lock));
	part = (struct dblock_member){.size = 0};
	assert_false(dblock_member_of(s->lock, 0, &part));
	assert_null(part.name);
	part.size = offsetof(struct dblock_member, token);
	assert_true(dblock_member_of(s->lock, 0, &part));
	assert_string_equal(part.name, "held");
	assert_int_equal(part.token, 0);
}

/* Those that are filled in are refused, too, where they end in the middle of a member. */
static void what_is_filled_in_has_a_size_of_some_header(void **state)
{
	struct dblock_member part = {.size = sizeof(size_t) + 4};
	struct dblock_leader leader = {.size = sizeof(size_t) + 4};
	struct dblock_latch latch = {.size = sizeof(size_t) + 4};
	struct dblock_reaped reaped = {.size = sizeof(size_t) + 4};
	struct dblock_stats stats = {.size = sizeof(size_t) + 4};
	struct dblock_quorum_state quorum = {.size = sizeof(size_t) + 4};
	struct dblock_loss loss = {.size = sizeof(size_t) + 4};
	struct dblock_rate_state rate = {.size = sizeof(size_t) + 4};
	struct stage *s = *state;
	struct dblock_error err = {0};

	assert_false(dblock_member_of(s->lock, 0, &part));
	assert_int_equal(dblock_loss_of(s->lock, &loss), DBLOCK_E_INVALID);
	expect(E_INVALID, dblock_leader_of(s->client, "held", &leader, &err));
	message_has("DBLOCK_LEADER_INIT");
	expect(E_INVALID, dblock_reap(s->client, NULL, &reaped, &err));
	message_has("DBLOCK_REAPED_INIT");
	expect(E_INVALID, dblock_stats_of(s->client, &stats, &err));
	message_has("DBLOCK_STATS_INIT");
	expect(E_INVALID, dblock_rate_take(s->client, "sized", 1, 1, 1, NULL, &rate, &err));
	message_has("DBLOCK_RATE_STATE_INIT");
	expect(E_INVALID, dblock_latch_show(s->client, "none", &latch, &err));
	message_has("DBLOCK_LATCH_INIT");
	expect(E_INVALID, dblock_quorum_status(NULL, 0, NULL, NULL, NULL, NULL, &quorum, &err));
	message_has("DBLOCK_QUORUM_STATE_INIT");
}

static void none_to_be_filled_in(void **state)
{
	struct stage *s = *state;
	struct dblock_error err = {0};

	expect(E_INVALID, dblock_leader_of(s->client, "held", NULL, &err));
	message_has("is NULL");
	message_has("DBLOCK_LEADER_INIT");
	expect(E_INVALID, dblock_stats_of(s->client, NULL, &err));
	message_has("is NULL");
	message_has("DBLOCK_STATS_INIT");
}

static void what_was_reaped_is_told_as_far_as_there_is_room(void **state)
{
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct stage *s = *state;
	struct dblock_error err = {0};

	reaped.size = 0;
	expect(E_INVALID, dblock_reap(s->client, NULL, &reaped, &err));
	message_has("DBLOCK_REAPED_INIT");
	reaped = (struct dblock_reaped)DBLOCK_REAPED_INIT;
	reaped.locks_freed = reaped.sessions_deleted = 77;
	reaped.size = offsetof(struct dblock_reaped, sessions_deleted);
	expect(OK, dblock_reap(s->client, NULL, &reaped, &err));
	assert_int_equal(reaped.locks_freed, 0);
	assert_int_equal(reaped.sessions_deleted, 77);
}

/* Each initialiser of the headers stands there; that of a loss is db/lock/handle/loss.c's, that of
 * counters stats.c's, that of a cluster's state remote_quorum_status.c's. */
static void none_is_left_out(void **state)
{
	FILE *names;
	char command[1024], name[128];
	int found = 0;

	(void)state;
	snprintf(command, sizeof(command),
		 "sed -nE 's/^#define (DBLOCK_[A-Z_]+)_INIT.*/\\1/p' %s/include/dblock/*.h",
		 test_env("DBLOCK_SOURCE_DIR"));
	names = popen(command, "r");
	assert_non_null(names);
	while (fscanf(names, "%127s", name) == 1) {
		bool known =
			strcmp(name, "DBLOCK_LEADER") == 0 || strcmp(name, "DBLOCK_LOSS") == 0 ||
			strcmp(name, "DBLOCK_REAPED") == 0 || strcmp(name, "DBLOCK_STATS") == 0 ||
			strcmp(name, "DBLOCK_MEMBER") == 0 ||
			strcmp(name, "DBLOCK_RATE_STATE") == 0 ||
			strcmp(name, "DBLOCK_LATCH") == 0 ||
			strcmp(name, "DBLOCK_QUORUM_STATE") == 0;

		for (int i = 0; i < N; i++)
			known = known || strcmp(name, all[i].name) == 0;
		if (!known)
			fail_msg("%s is not looked at", name);
		found++;
	}
	assert_int_equal(pclose(names), 0);
	assert_int_equal(found, N + 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(older_and_newer_headers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(members_that_are_not_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sizes_that_no_header_has, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_reaped_is_told_as_far_as_there_is_room,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_leader_is_told_as_far_as_there_is_room, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_part_has_room_or_is_not_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_filled_in_has_a_size_of_some_header, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(none_to_be_filled_in, set_up, tear_down),
		cmocka_unit_test(none_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
