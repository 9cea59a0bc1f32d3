/* SPDX-License-Identifier: MIT */
/* The examples of FIPS 180-2, and the longest of NIST's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sha256.h"

static void is(const char *text, size_t len, const char *expected)
{
	char hex[DBL_SHA256_HEX + 1];

	memset(hex, 'x', sizeof(hex));
	dbl_sha256_hex(text, len, hex);
	assert_string_equal(hex, expected);
}

static void known_digests(void **unused)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	const size_t million = 1000000;
	char *a = dbl_alloc(million);

	(void)unused;
	is("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	is("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	is(two_blocks, strlen(two_blocks),
	   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(a, 'a', million);
	is(a, million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	dbl_free(a);
}

/* Whatever the parts, and wherever they are cut: blocks have 64 bytes. */
static void in_parts(void **unused)
{
	char text[200], whole[DBL_SHA256_HEX + 1], hex[DBL_SHA256_HEX + 1];
	struct dbl_sha256 sum;

	(void)unused;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 23);
	dbl_sha256_hex(text, sizeof(text), whole);
	for (size_t cut = 0; cut <= sizeof(text); cut++) {
		dbl_sha256_begin(&sum);
		dbl_sha256_add(&sum, text, cut);
		dbl_sha256_add(&sum, text + cut, sizeof(text) - cut);
		dbl_sha256_end(&sum, hex);
		assert_string_equal(hex, whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(known_digests),
					   cmocka_unit_test(in_parts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
