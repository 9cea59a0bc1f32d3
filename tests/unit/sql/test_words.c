/* SPDX-License-Identifier: MIT */
/* Texts with words for C to put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sql/words.h"

/* Naive: what was put in is read again, and a column called :table becomes a table. */
static void words_are_put_in_once(void **state)
{
	const struct dbl_word words[] = {{":a", "<:b>"}, {":b", ":a"}, {NULL, NULL}};
	char *got = dbl_words_put(":a and :b; :c", 10, words);

	(void)state;
	assert_string_equal(got, "<:b> and :a;");
	dbl_free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_put_in_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
