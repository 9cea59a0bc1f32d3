/* SPDX-License-Identifier: MIT */
/* Any bytes, as a file of each dialect: no error of memory, no hang, and the laws hold. */
#include "support/split_token_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *dialect, unsigned settings, const char *text, size_t len)
{
	struct sql_text t = {dialect, settings, text, len};
	law broken = check_laws(&t);

	if (!broken)
		broken = check_tokens(&t);
	if (!broken)
		broken = check_cut(&t, len / 2);
	if (broken) {
		fprintf(stderr, "%s, settings %u: %s\n", dialect, settings, broken);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const dialects[] = {"sqlite", "postgresql", "mysql"};
	unsigned settings = size ? data[size - 1] & 7U : 0;

	for (int i = 0; i < 3; i++) {
		check(dialects[i], 0, (const char *)data, size);
		if (settings && i > 0)
			check(dialects[i], settings, (const char *)data, size);
	}
	return 0;
}
