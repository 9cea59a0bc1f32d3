/* SPDX-License-Identifier: MIT */
/* Names that stand in for each other, and which of them are drained. */
#include "db/lock/pool/pool_kit.h"

enum { MEMBERS_MAX = 260 };

struct listed {
	struct dblock_pool_member m[MEMBERS_MAX];
	char text[MEMBERS_MAX][4][64];
	int n, stop_at;
};

static int note(void *arg, const struct dblock_pool_member *m)
{
	struct listed *l = arg;
	const char *texts[] = {m->pool, m->name, m->host, m->app};

	assert_true(m->size == sizeof(*m) && l->n < MEMBERS_MAX);
	for (int i = 0; i < 4; i++)
		snprintf(l->text[l->n][i], sizeof(l->text[l->n][i]), "%s", texts[i]);
	l->m[l->n++] = *m;
	return l->n == l->stop_at ? 77 : 0;
}

static struct listed *list(struct dblock_client *client, const char *pool)
{
	static struct listed l;
	struct dblock_error err = {0};

	memset(&l, 0, sizeof(l));
	expect(OK, dblock_pool_members(client, pool, note, &l, &err));
	return &l;
}

static void add(struct dblock_client *client, const char *pool, const char *member)
{
	struct dblock_error err = {0};

	expect(OK, dblock_pool_add(client, pool, member, &err));
}

static int set_up_members(void **state)
{
	set_up_pool(state);
	raw_exec(((struct scene *)*state)->raw, "DELETE FROM dblock_pool");
	return 0;
}

static void in_byte_order_of_pools_and_members(void **state)
{
	static const char *const wanted[][2] = {
		{"a", "x"}, {"dbs", "db10"}, {"dbs", "db2"}, {"dbs", "\xc3\xa4"}, {"dbs2", "z"}};
	struct scene *s = *state;
	const struct listed *l;

	for (int i = 4; i >= 0; i--)
		add(s->a, wanted[i][0], wanted[i][1]);
	add(s->b, "dbs", "db2"); /* again */
	l = list(s->b, NULL);
	assert_int_equal(l->n, 5);
	for (int i = 0; i < 5; i++) {
		assert_string_equal(l->text[i][0], wanted[i][0]);
		assert_string_equal(l->text[i][1], wanted[i][1]);
	}
	l = list(s->b, "dbs");
	assert_int_equal(l->n, 3);
	assert_string_equal(l->text[0][1], "db10");
	assert_int_equal(list(s->b, "db")->n, 0);
}

/* Naive: who has it loses it, or nobody gets it by its own name; and added again it stays drained. */
static void a_drained_one_is_only_told_of(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(s->a, "x");
	const struct listed *l;

	add(s->a, "p", "x");
	assert_false(list(s->b, "p")->m[0].drained);
	expect(OK, dblock_pool_drain(s->b, "p", "x", &err));
	expect(OK, dblock_pool_drain(s->b, "p", "x", &err));
	l = list(s->b, "p");
	assert_true(l->m[0].drained);
	assert_true(l->m[0].since_us > 0 && l->m[0].since_ms >= 0);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	give(take(s->b, "x"));
	add(s->a, "p", "x");
	assert_false(list(s->b, "p")->m[0].drained);
	expect(OK, dblock_pool_remove(s->a, "p", "x", &err));
	assert_int_equal(list(s->b, "p")->n, 0);
}

static void what_is_no_member(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	add(s->a, "p", "x");
	expect(STALE, dblock_pool_drain(s->a, "p", "y", &err));
	message_has("'y' is no member of the pool 'p'");
	expect(STALE, dblock_pool_remove(s->a, "q", "x", &err));
	expect(E_INVALID, dblock_pool_add(s->a, "", "x", &err));
	expect(E_INVALID, dblock_pool_add(s->a, "p", NULL, &err));
	expect(E_INVALID, dblock_pool_add(s->a, "p", "a\nb", &err));
	expect(E_INVALID, dblock_pool_members(s->a, "p", NULL, NULL, &err));
	assert_int_equal(list(s->a, NULL)->n, 1);
}

/* Who holds each, and how many wait: alone, with permits, or nobody. */
static void who_has_them(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *one, *two, *alone;
	const struct listed *l;

	add(s->a, "p", "free");
	add(s->a, "p", "x");
	add(s->a, "p", "z");
	resize(s->a, 2);
	one = takes(s->a, 1, 2);
	two = takes(s->b, 1, 2);
	puppet_wants(s->puppet, 1, 2);
	alone = take(s->c, "z");
	l = list(s->a, "p");
	assert_int_equal(l->m[0].holders + l->m[0].waiters + l->m[0].token + l->m[0].pid, 0);
	assert_int_equal(l->m[0].capacity, -1);
	assert_string_equal(l->text[0][2], "");
	assert_int_equal(l->m[1].holders, 2);
	assert_int_equal(l->m[1].waiters, 1);
	assert_int_equal(l->m[1].capacity, 2);
	assert_true(l->m[1].token == dblock_token(one));
	assert_int_equal(l->m[2].holders, 1);
	assert_int_equal(l->m[2].capacity, -1);
	assert_true(l->m[2].token == dblock_token(alone));
	assert_int_equal(l->m[2].pid, getpid());
	assert_string_not_equal(l->text[2][2], "");
	give(one);
	give(two);
	give(alone);
}

/* Naive: the second page begins in the wrong pool, or with its first member. */
static void more_than_a_page(void **state)
{
	struct scene *s = *state;
	struct listed *l;

	for (int i = 0; i < 250; i++)
		raw_exec(s->raw,
			 "INSERT INTO dblock_pool (pool, member, drained, since) VALUES "
			 "('%s', 'm%03d', 0, 1)",
			 i < 120 ? "p" : "q", i);
	l = list(s->a, NULL);
	assert_int_equal(l->n, 250);
	for (int i = 0; i < 250; i++) {
		char name[8];

		snprintf(name, sizeof(name), "m%03d", i);
		assert_string_equal(l->text[i][1], name);
	}
	assert_int_equal(list(s->a, "q")->n, 130);
	memset(l, 0, sizeof(*l));
	l->stop_at = 3;
	assert_int_equal(dblock_pool_members(s->a, NULL, note, l, NULL), 77);
	assert_int_equal(l->n, 3);
}

#define MEMBERS(name) cmocka_unit_test_setup_teardown(name, set_up_members, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MEMBERS(in_byte_order_of_pools_and_members),
		MEMBERS(a_drained_one_is_only_told_of),
		MEMBERS(what_is_no_member),
		MEMBERS(who_has_them),
		MEMBERS(more_than_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
