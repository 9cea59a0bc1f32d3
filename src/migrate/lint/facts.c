/* SPDX-License-Identifier: MIT */
#include "migrate/lint/facts.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void dbl_facts_free(struct dbl_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++) {
		dbl_free(facts->list[i].key);
		dbl_free(facts->list[i].value);
	}
	dbl_free(facts->list);
	*facts = (struct dbl_facts){.n = 0};
}

void dbl_facts_add(struct dbl_facts *facts, enum dbl_fact_kind kind, const char *key,
		   const char *value)
{
	struct dbl_fact fact = {kind, false, dbl_strdup(key), dbl_strdup(value)};
	struct dbl_fact *list = facts->list;
	size_t n = facts->n;

	if ((n & (n - 1)) == 0) /* twice the room, at each power of two */
		list = dbl_realloc(list, (n ? 2 * n : 1) * sizeof(*list));
	if (!list || !fact.key || !fact.value) {
		facts->failed = true;
		facts->list = list ? list : facts->list;
		dbl_free(fact.key);
		dbl_free(fact.value);
		return;
	}
	facts->list = list;
	list[facts->n++] = fact;
}

const char *dbl_facts_find(const struct dbl_facts *facts, enum dbl_fact_kind kind, const char *key)
{
	for (size_t i = facts->n; i-- > 0;) {
		const struct dbl_fact *fact = &facts->list[i];

		if (!fact->gone && fact->kind == kind && strcmp(fact->key, key) == 0)
			return fact->value;
	}
	return NULL;
}

void dbl_facts_add_of(struct dbl_facts *facts, enum dbl_fact_kind kind, const char *table,
		      const char *name, const char *value)
{
	struct dbl_str key = {0};

	dbl_str_addf(&key, "%s.%s", table, name);
	if (key.failed)
		facts->failed = true;
	else
		dbl_facts_add(facts, kind, key.text, value);
	dbl_str_free(&key);
}

/* Whether the key is TABLE.NAME. */
static bool is_of(const char *key, const char *table, const char *name)
{
	size_t len = strlen(table);

	return strncmp(key, table, len) == 0 && key[len] == '.' &&
	       (!name || strcmp(key + len + 1, name) == 0);
}

const char *dbl_facts_find_of(const struct dbl_facts *facts, enum dbl_fact_kind kind,
			      const char *table, const char *name)
{
	for (size_t i = facts->n; i-- > 0;) {
		const struct dbl_fact *fact = &facts->list[i];

		if (!fact->gone && fact->kind == kind && is_of(fact->key, table, name))
			return fact->value;
	}
	return NULL;
}

void dbl_facts_forget(struct dbl_facts *facts, enum dbl_fact_kind kind, const char *key)
{
	for (size_t i = 0; i < facts->n; i++) {
		struct dbl_fact *fact = &facts->list[i];

		if (fact->kind == kind && (!key || strcmp(fact->key, key) == 0))
			fact->gone = true;
	}
}

void dbl_facts_forget_of(struct dbl_facts *facts, enum dbl_fact_kind kind, const char *table,
			 const char *name)
{
	for (size_t i = 0; i < facts->n; i++) {
		struct dbl_fact *fact = &facts->list[i];

		if (fact->kind == kind && is_of(fact->key, table, name))
			fact->gone = true;
	}
}

/* The kinds of facts about what is in a table. */
static bool is_inner(enum dbl_fact_kind kind)
{
	return kind >= DBL_FACT_COLUMN;
}

void dbl_facts_forget_column(struct dbl_facts *facts, const char *table, const char *column)
{
	for (size_t i = 0; i < facts->n; i++) {
		struct dbl_fact *fact = &facts->list[i];

		if (is_inner(fact->kind) && is_of(fact->key, table, column))
			fact->gone = true;
	}
}

void dbl_facts_forget_table(struct dbl_facts *facts, const char *table)
{
	for (size_t i = 0; i < facts->n; i++) {
		struct dbl_fact *fact = &facts->list[i];

		if (is_inner(fact->kind) ? is_of(fact->key, table, NULL)
					 : strcmp(fact->key, table) == 0)
			fact->gone = true;
	}
}

void dbl_facts_rename_table(struct dbl_facts *facts, const char *from, const char *to)
{
	const char *made = dbl_facts_find(facts, DBL_FACT_TABLE, from);
	size_t n = facts->n, len = strlen(from);

	if (made)
		dbl_facts_add(facts, DBL_FACT_TABLE, to, made);
	for (size_t i = 0; i < n; i++) {
		const struct dbl_fact fact = facts->list[i];

		if (!fact.gone && is_inner(fact.kind) && is_of(fact.key, from, NULL))
			dbl_facts_add_of(facts, fact.kind, to, fact.key + len + 1, fact.value);
	}
	dbl_facts_forget_table(facts, from);
}
