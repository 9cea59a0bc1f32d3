/* SPDX-License-Identifier: MIT */
/* The order of versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/version.h"

static void before(const char *version, const char *least)
{
	if (!dbl_version_before(version, least))
		fail_msg("'%s' should be before '%s'", version, least);
}

static void not_before(const char *version, const char *least)
{
	if (dbl_version_before(version, least))
		fail_msg("'%s' should not be before '%s'", version, least);
}

static void numbers_count_and_not_letters(void **state)
{
	(void)state;
	before("8.0.9", "8.0.22");
	before("8.0.21-log", "8.0.22");
	before("7.99.99", "8.0.22");
	before("9.6.24", "12");
	before("10.5.29-MariaDB", "10.6");
	not_before("8.0.22", "8.0.22");
	not_before("8.0.100", "8.0.22");
	not_before("8.4.0", "8.0.22");
	not_before("10.6.0-MariaDB", "10.6");
	not_before("10.11.6-MariaDB", "10.6");
	not_before("15.8 (Debian 15.8-0)", "12");
	not_before("18beta1", "12");
}

static void what_is_not_said_is_not_too_old(void **state)
{
	static const char *const texts[] = {"",     "8",    "8.0",     "8.0.", "8.0.aurora.3", "x",
					    "-1.0", " 5.7", "v5.7.44", ".",    "8..1"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		not_before(texts[i], "8.0.22");
	before("99999999999999999999.1", "99999999999999999999.2");
	not_before("99999999999999999999", "8.0.22");
}

static void the_message_names_all(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	assert_int_equal(dbl_version_check("Xdb", "2.9-log", "2.10", "update it", &err),
			 DBLOCK_E_INVALID);
	assert_int_equal(err.code, DBLOCK_E_INVALID);
	assert_string_equal(err.message, "Xdb 2.9-log is too old for dblock, which needs 2.10 or "
					 "newer; update it");
	assert_int_equal(dbl_version_check("Xdb", "2.10", "2.10", "update it", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_count_and_not_letters),
		cmocka_unit_test(what_is_not_said_is_not_too_old),
		cmocka_unit_test(the_message_names_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
