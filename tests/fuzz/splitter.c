/* SPDX-License-Identifier: MIT */
/* Takes any bytes as a file of each dialect: there must be no error of memory, no hang, and the
 * laws must hold. */
#include "support/split_token_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *dialect, const char *text, size_t len)
{
	struct sql_text t = {dialect, text, len};
	law broken = check_laws(&t);

	if (!broken)
		broken = check_tokens(&t);
	if (!broken)
		broken = check_cut(&t, len / 2);
	if (broken) {
		fprintf(stderr, "%s: %s\n", dialect, broken);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const dialects[] = {"sqlite", "postgresql", "mysql"};

	for (int i = 0; i < 3; i++)
		check(dialects[i], (const char *)data, size);
	return 0;
}
