/* SPDX-License-Identifier: MIT */
#include "storm/judge.h"

#include "history/check.h"
#include "support/slowness.h"

size_t judge(const struct law *law, struct history *h)
{
	struct findings f;

	h->slowness = slowness() * law->patience;
	check_some(h, law->rules, &f);
	findings_print(&f, h, stderr);
	return f.n;
}

int judge_again(const struct law *law, const char *folder)
{
	struct history h = {.n = 0};
	char problem[1200];
	size_t n;

	if (!history_load(&h, folder, problem)) {
		fprintf(stderr, "%s\n", problem);
		return 2;
	}
	n = judge(law, &h);
	printf("storm: %zu events, %zu findings\n", h.n, n);
	history_free(&h);
	return n > 0;
}
