/* SPDX-License-Identifier: MIT */
#include "history/check.h"

#include <stdio.h>
#include <string.h>

#include "history/rules.h"

static const struct rule {
	const char *name, *promise;
	void (*check)(const struct story *, struct findings *);
} rules[] = {
#define X(name, function, promise) {name, promise, function},
	RULE_MAP(X)
#undef X
};

static bool is_among(const char *name, const char *names)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(names, word) != NULL;
}

void check_some(const struct history *h, const char *names, struct findings *f)
{
	struct story s;

	*f = (struct findings){.n = 0};
	story_tell(&s, h);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (names && !is_among(rules[i].name, names))
			continue;
		f->rule = rules[i].name;
		f->promise = rules[i].promise;
		f->of_rule = 0;
		rules[i].check(&s, f);
	}
	story_free(&s);
}

void check_history(const struct history *h, struct findings *f)
{
	check_some(h, NULL, f);
}
