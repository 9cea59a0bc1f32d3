/* SPDX-License-Identifier: MIT */
#include "doctor/facts.h"

#include <stdio.h>

#include "doctor/exam.h"
#include "driver/value.h"

static int take_fact(void *ctx, const struct dbl_value *row)
{
	struct dbl_facts *facts = ctx;
	struct dbl_fact *fact = &facts->facts[facts->n];

	if (row[1].type == DBL_NULL || facts->n == DBL_FACTS_MAX)
		return 0;
	snprintf(fact->name, sizeof(fact->name), "%.*s", (int)row[0].len, row[0].text);
	snprintf(fact->value, sizeof(fact->value), "%.*s", (int)row[1].len, row[1].text);
	facts->n++;
	return 0;
}

int dbl_exam_facts(struct dbl_exam *exam)
{
	struct dbl_facts facts = {.n = 0};
	struct dblock_error err = {0};
	const struct dbl_rule *rule;
	const struct dbl_fact *fact;
	struct dbl_value schema = dbl_text(exam->target->names.schema);
	char text[512];
	size_t at = 0;
	int rc;

	rc = dbl_exam_run(exam, exam->db, DBL_OP_doctor_facts, DBL_ARG(schema), take_fact, &facts,
			  &err);
	if (rc)
		return dbl_exam_blind(exam, "server", "its settings", rc, &err);
	while (rc == 0 && (rule = dbl_rule_next(&facts, &at, &fact))) {
		dbl_rule_text(rule, fact, text, sizeof(text));
		rc = dbl_exam_say(exam, rule->severity, rule->topic, rule->remedy, "%s", text);
	}
	return rc;
}
