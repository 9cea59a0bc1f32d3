/* SPDX-License-Identifier: MIT */
/* Facts about a database, and the rules that make findings of them. Pure functions. */
#ifndef DBL_DOCTOR_FACTS_H
#define DBL_DOCTOR_FACTS_H

#include <dblock/doctor.h>

#include <stdbool.h>

enum { DBL_FACTS_MAX = 32 };

struct dbl_fact {
	char name[48];
	char value[160];
};

struct dbl_facts {
	struct dbl_fact facts[DBL_FACTS_MAX];
	size_t n;
};

struct dbl_rule {
	const char *fact;
	bool (*fits)(const char *value, const char *expected);
	const char *expected;
	enum dblock_severity severity;
	const char *topic;
	const char *text; /* `{}` stands for the value */
	const char *remedy;
};

/* Returns the next rule, from *at on, that makes a finding, and the fact that it is about. NULL:
 * there is none. Begin with *at = 0. */
const struct dbl_rule *dbl_rule_next(const struct dbl_facts *, size_t *at,
				     const struct dbl_fact **);

/* Writes the rule's text, with the fact's value in it, to `out`. */
void dbl_rule_text(const struct dbl_rule *, const struct dbl_fact *, char *out, size_t size);

#endif
