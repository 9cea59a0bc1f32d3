/* SPDX-License-Identifier: MIT */
#include "migrate/lint/lint.h"

#include <string.h>

#include "base/mem.h"
#include "migrate/lint/own.h"

struct dbl_lint {
	const char *dialect;
	struct dbl_facts facts;
	struct dbl_tokens tokens; /* of the statement at hand */
	const char *list[DBL_WORDS_MAX];
};

struct dbl_lint *dbl_lint_new(const char *dialect)
{
	struct dbl_lint *lint = dbl_alloc(sizeof(*lint));

	if (lint)
		lint->dialect = dialect;
	return lint;
}

void dbl_lint_free(struct dbl_lint *lint)
{
	if (!lint)
		return;
	dbl_facts_free(&lint->facts);
	dbl_str_free(&lint->tokens.text);
	dbl_free(lint);
}

/* ---- rules ---------------------------------------------------------------------------------- */

/* Whether the words have one of the phrases, with `;` between. */
static bool has_one(const struct dbl_words *w, const char *phrases)
{
	char phrase[40];

	for (size_t len; *phrases; phrases += len + (phrases[len] == ';')) {
		len = strcspn(phrases, ";");
		memcpy(phrase, phrases, len);
		phrase[len] = '\0';
		if (dbl_words_have(w, phrase))
			return true;
	}
	return false;
}

static bool fits(const struct dbl_rule *rule, struct dbl_case *c)
{
	return strchr(rule->dialects, c->dialect[0]) &&
	       dbl_words_match(&c->part, rule->begins, &c->match) &&
	       !(rule->has_not && has_one(&c->part, rule->has_not)) &&
	       !(*c->match.table && dbl_is_new(c->facts, c->match.table)) &&
	       (!rule->when || rule->when(c));
}

/* A statement in its file. */
struct place {
	const char *text;
	size_t at;
};

/* Keeps the worst alarm; of equal ones the first. */
static void check(const struct dbl_rule *rule, struct dbl_case *c, const struct place *place,
		  struct dbl_alarm *alarm)
{
	for (; rule->id; rule++)
		if (rule->severity > alarm->severity && fits(rule, c) &&
		    !dbl_allowed(place->text, place->at, rule->id))
			*alarm = (struct dbl_alarm){rule->id, rule->severity, rule->hint};
}

static const struct dbl_rule *actions_of(const char *dialect)
{
	return *dialect == 'p'   ? dbl_rules_postgresql_action
	       : *dialect == 'm' ? dbl_rules_mysql_action
				 : dbl_rules_sqlite_action;
}

static struct dbl_alarm alarm_of(struct dbl_case *c, const struct place *place)
{
	struct dbl_alarm alarm = {"", DBLOCK_SEVERITY_NONE, ""};
	size_t at;

	if (!dbl_alter_begin(&c->all, c->table, &at)) {
		c->part = c->all;
		check(dbl_rules_statement, c, place, &alarm);
	} else if (!dbl_is_new(c->facts, c->table)) {
		while (dbl_alter_next(&c->all, &at, &c->part))
			check(actions_of(c->dialect), c, place, &alarm);
	}
	return alarm;
}

/* ---- files ---------------------------------------------------------------------------------- */

static struct dbl_alarm read_statement(struct dbl_lint *lint, const struct dbl_lint_text *text,
				       size_t at, bool past)
{
	struct dbl_alarm alarm = {"", DBLOCK_SEVERITY_NONE, ""};
	struct dbl_case c = {
		.facts = &lint->facts,
		.dialect = lint->dialect,
		.stepwise = text->stepwise,
		.all = {lint->list, dbl_words_find(&lint->tokens.text, lint->list)},
	};

	if (!past)
		alarm = alarm_of(&c, &(struct place){text->text.text, at});
	dbl_learn(&lint->facts, &c.all, past);
	return alarm;
}

static bool read_all(struct dbl_lint *lint, const struct dbl_lint_text *text, dbl_alarm_cb *cb,
		     void *arg)
{
	struct dbl_statement statement = {.text = ""};
	struct dbl_split split;
	struct dbl_alarm alarm;
	bool fine = true;

	dbl_split_again(&split, lint->dialect, "", &text->text);
	split.tokens = &lint->tokens;
	for (unsigned n = 0; fine;) {
		lint->tokens.text.len = 0;
		if (dbl_split_next(&split, &statement, NULL) || !statement.text)
			break;
		if (text->left_out && text->left_out(text->ctx, &statement, n))
			continue;
		alarm = read_statement(lint, text, statement.offset, n++ < text->past);
		fine = !cb || cb(arg, n, &alarm);
	}
	return fine;
}

bool dbl_lint_read(struct dbl_lint *lint, const struct dbl_lint_text *text, dbl_alarm_cb *cb,
		   void *arg)
{
	bool fine = read_all(lint, text, cb, arg);

	dbl_facts_forget(&lint->facts, DBL_FACT_UNVALIDATED, NULL);
	dbl_facts_forget(&lint->facts, DBL_FACT_UTC, NULL);
	return fine && !lint->facts.failed && !lint->tokens.text.failed;
}
