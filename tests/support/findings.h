/* SPDX-License-Identifier: MIT */
/* The findings of a doctor, kept for a test. This needs the public API only. */
#ifndef TESTS_SUPPORT_FINDINGS_H
#define TESTS_SUPPORT_FINDINGS_H

#include "support/kit.h"

struct kept_finding {
	enum dblock_severity severity;
	char topic[32], text[600], remedy[400];
};

struct findings {
	struct kept_finding all[64];
	int n;
};

static inline int keep_finding(void *arg, const struct dblock_finding *finding)
{
	struct findings *findings = arg;
	struct kept_finding *kept = &findings->all[findings->n++];

	assert_int_equal(finding->size, sizeof(*finding));
	assert_true(findings->n <= 64);
	kept->severity = finding->severity;
	snprintf(kept->topic, sizeof(kept->topic), "%s", finding->topic);
	snprintf(kept->text, sizeof(kept->text), "%s", finding->text);
	snprintf(kept->remedy, sizeof(kept->remedy), "%s", finding->remedy);
	return 0;
}

static inline void print_findings(const struct findings *findings)
{
	for (int i = 0; i < findings->n; i++)
		print_message("%s  %s  %s\n", dblock_severity_name(findings->all[i].severity),
			      findings->all[i].topic, findings->all[i].text);
}

/* Returns the first finding of the topic that has `part` in its text; NULL: none. */
static inline const struct kept_finding *find_finding(const struct findings *findings,
						      const char *topic, const char *part)
{
	for (int i = 0; i < findings->n; i++) {
		if (strcmp(findings->all[i].topic, topic) == 0 &&
		    strstr(findings->all[i].text, part))
			return &findings->all[i];
	}
	return NULL;
}

static inline void must_say_at(const struct findings *findings, enum dblock_severity severity,
			       const char *topic, const char *part, int line)
{
	const struct kept_finding *found = find_finding(findings, topic, part);

	if (!found || found->severity != severity) {
		print_findings(findings);
		print_error("line %d: not found: %s  %s  ...%s...\n", line,
			    dblock_severity_name(severity), topic, part);
		fail();
	}
	/* Every finding that is not OK must have a remedy. */
	if (severity != DBLOCK_FINDING_OK)
		assert_string_not_equal(found->remedy, "");
}

#define must_say(findings, severity, topic, part)                                                  \
	must_say_at(findings, DBLOCK_FINDING_##severity, topic, part, __LINE__)

#endif
