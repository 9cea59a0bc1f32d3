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

static int say_all(struct dbl_exam *exam, const struct dbl_facts *facts)
{
	const struct dbl_rule *rule;
	const struct dbl_fact *fact;
	char text[512];
	size_t at = 0;
	int rc = 0;

	while (rc == 0 && (rule = dbl_rule_next(facts, &at, &fact))) {
		dbl_rule_text(rule, fact, text, sizeof(text));
		rc = dbl_exam_say(exam, rule->severity, rule->topic, rule->remedy, "%s", text);
	}
	return rc;
}

int dbl_exam_facts(struct dbl_exam *exam)
{
	struct dbl_facts facts = {.n = 0};
	struct dblock_error err = {0};
	struct dbl_value schema = dbl_text(exam->target->names.schema);
	int rc, unseen;

	rc = dbl_exam_run(exam, exam->db, DBL_OP_doctor_facts, DBL_ARG(schema), take_fact, &facts,
			  &err);
	if (rc)
		return dbl_exam_blind(exam, "server", "its settings", rc, &err);
	unseen = dbl_exam_run(exam, exam->db, DBL_OP_doctor_replication, DBL_NO_ARGS, take_fact,
			      &facts, &err);
	rc = say_all(exam, &facts);
	if (rc || !unseen)
		return rc;
	return dbl_exam_blind(exam, "failover",
			      "whether this server follows another one, or how its group is",
			      unseen, &err);
}
