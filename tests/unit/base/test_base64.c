/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* RFC 4648, section 10. */
static void known_texts(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		size_t size, len = strlen(pairs[i][0]);
		char text[16], bytes[16];

		assert_int_equal(dbl_base64_len(len), strlen(pairs[i][1]));
		dbl_base64_encode(pairs[i][0], len, text);
		assert_string_equal(text, pairs[i][1]);
		assert_true(dbl_base64_decode(text, strlen(text), bytes, &size));
		assert_int_equal(size, len);
		assert_memory_equal(bytes, pairs[i][0], len);
	}
}

static void any_bytes_come_back(void **state)
{
	unsigned char from[300], to[400];
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (unsigned char)(i * 37 ^ i >> 3);
	for (size_t n = 0; n <= sizeof(from); n++) {
		size_t size;

		dbl_base64_encode(from, n, text);
		assert_int_equal(strlen(text), dbl_base64_len(n));
		assert_true(dbl_base64_decode(text, strlen(text), to, &size));
		assert_int_equal(size, n);
		assert_memory_equal(to, from, n);
	}
	from[0] = 0xfb;
	from[1] = 0xff;
	dbl_base64_encode(from, 2, text);
	assert_string_equal(text, "+/8=");
}

static void what_is_none_is_told(void **state)
{
	static const char *const none[] = {"Z",    "Zg",   "Zm8",  "Zg==Zg==", "Z===",    "====",
					   "Zm9 ", "Zm-v", "Z=g=", "Zm9vZ",    "\xff===", "=Zm9"};
	char bytes[16];
	size_t size;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (dbl_base64_decode(none[i], strlen(none[i]), bytes, &size))
			fail_msg("'%s' is taken", none[i]);
	}
	assert_false(dbl_base64_decode("Zm\0v", 4, bytes, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts),
		cmocka_unit_test(any_bytes_come_back),
		cmocka_unit_test(what_is_none_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
