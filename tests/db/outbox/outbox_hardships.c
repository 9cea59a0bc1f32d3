/* SPDX-License-Identifier: MIT */
/* What must neither end a relay, nor park a key, nor keep another one waiting. */
#include "db/outbox/relay.h"

/* ---- a consumer that fails ------------------------------------------------------------------- */

/* As of a message that was cut in the middle of a character. Naive: the database refuses it, which ends the relay, and
 * each that comes after it. */
static void what_is_no_text_is_noted_as_far_as_it_is(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "bad", 1);
	post.fails = "bad";
	post.says = "no such caf\xc3";
	post.options.pause_ms = 60000;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n_failed, 1);
	assert_string_equal(failure_text(s, "bad", "error"), "no such caf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAY_CASE(what_is_no_text_is_noted_as_far_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
