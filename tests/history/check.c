/* SPDX-License-Identifier: MIT */
#include "history/check.h"

#include "history/rules.h"

static const struct rule {
	const char *name, *promise;
	void (*check)(const struct story *, struct findings *);
} rules[] = {
#define X(name, function, promise) {name, promise, function},
	RULE_MAP(X)
#undef X
};

void check_history(const struct history *h, struct findings *f)
{
	struct story s;

	*f = (struct findings){.n = 0};
	story_tell(&s, h);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		f->rule = rules[i].name;
		f->promise = rules[i].promise;
		f->of_rule = 0;
		rules[i].check(&s, f);
	}
	story_free(&s);
}
