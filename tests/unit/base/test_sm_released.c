/* SPDX-License-Identifier: MIT */
/* Without assertions a move that a state table does not have is refused, and an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#undef DBLOCK_ASSERT
#define dbl_sm_refuse released_sm_refuse
#include "base/sm.c"

static const struct dbl_state doors[] = {{"OPEN", DBL_TO(1)}, {"SHUT", 0}};

static void it_is_refused_in_words_that_name_both_states(void **state)
{
	struct dblock_error err = {0};
	struct dbl_sm sm;

	(void)state;
	dbl_sm_init(&sm, doors, 0);
	assert_int_equal(dbl_sm_move(&sm, 1, &err), 0);
	assert_int_equal(dbl_sm_move(&sm, 0, &err), DBLOCK_E_BUG);
	assert_int_equal(err.code, DBLOCK_E_BUG);
	assert_non_null(strstr(err.message, "from state SHUT to OPEN"));
	assert_int_equal(dbl_sm_now(&sm), 1);
	assert_false(dbl_sm_try(&sm, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_refused_in_words_that_name_both_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
