/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/version.h"
#include "doctor/facts.h"

static bool fits_IS(const char *value, const char *expected)
{
	return strcasecmp(value, expected) == 0;
}

static bool fits_NOT(const char *value, const char *expected)
{
	return strcasecmp(value, expected) != 0;
}

static bool fits_ANY(const char *value, const char *expected)
{
	(void)value;
	(void)expected;
	return true;
}

static bool fits_BEFORE(const char *value, const char *expected)
{
	return dbl_version_before(value, expected);
}

static const struct dbl_rule rules[] = {
#define RULE(fact, test, value, severity, topic, text, remedy)                                     \
	{fact, fits_##test, value, DBLOCK_FINDING_##severity, topic, text, remedy},
#include "doctor/rules.def"
#undef RULE
};

static const struct dbl_fact *find(const struct dbl_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->n; i++) {
		if (strcmp(facts->facts[i].name, name) == 0)
			return &facts->facts[i];
	}
	return NULL;
}

/* Whether a rule before this one has made a finding of the fact. */
static bool spoken(size_t rule, const struct dbl_fact *fact)
{
	for (size_t i = 0; i < rule; i++) {
		if (strcmp(rules[i].fact, fact->name) == 0 &&
		    rules[i].fits(fact->value, rules[i].expected))
			return true;
	}
	return false;
}

const struct dbl_rule *dbl_rule_next(const struct dbl_facts *facts, size_t *at,
				     const struct dbl_fact **fact)
{
	while (*at < sizeof(rules) / sizeof(rules[0])) {
		size_t i = (*at)++;

		*fact = find(facts, rules[i].fact);
		if (*fact && rules[i].fits((*fact)->value, rules[i].expected) && !spoken(i, *fact))
			return &rules[i];
	}
	return NULL;
}

void dbl_rule_text(const struct dbl_rule *rule, const struct dbl_fact *fact, char *out, size_t size)
{
	const char *hole = strstr(rule->text, "{}");

	if (hole)
		snprintf(out, size, "%.*s%s%s", (int)(hole - rule->text), rule->text, fact->value,
			 hole + 2);
	else
		snprintf(out, size, "%s", rule->text);
}
