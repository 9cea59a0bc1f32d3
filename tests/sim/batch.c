/* SPDX-License-Identifier: MIT */
#include "sim/batch.h"

#include <jansson.h>

#include "driver/value.h"
#include "sim/history.h"
#include "sim/world.h"

/* The columns of batch.sql: its answer's, and those of a member in its argument. */
enum { MEMBERS = 4 };
enum { PLACE, DONE, TOKEN_NOW };
enum { WHAT, NAME, TOKEN, NONCE, BARGE = 8 };

bool batch_is(const struct letter *l)
{
	return l->op == DBL_OP_batch;
}

static struct dbl_value cell(const json_t *member, int at)
{
	const json_t *value = json_array_get(member, (size_t)at);

	if (json_is_string(value))
		return dbl_text(json_string_value(value));
	return json_is_integer(value) ? dbl_int(json_integer_value(value)) : dbl_null();
}

/* Makes of a member the letter that it would have been alone. */
static struct letter alone(const struct letter *l, const json_t *member, struct dbl_value *token)
{
	bool acquires = cell(member, WHAT).i == 1;
	struct letter own = *l;

	own.op = acquires ? DBL_OP_acquire : DBL_OP_release;
	own.changed = 1;
	own.args[0] = cell(member, NAME);
	own.args[1] = cell(member, acquires ? NONCE : TOKEN);
	own.args[2] = cell(member, NONCE);
	own.args[9] = cell(member, BARGE);
	own.values = token;
	own.n_values = own.columns = acquires;
	return own;
}

void batch_carried_out(struct world *w, const struct letter *l)
{
	const struct dbl_value *text = &l->args[MEMBERS];
	json_t *members = json_loadb(text->text, text->len, 0, NULL);

	if (!members)
		world_break(w, "SIM", "a batch is no JSON");
	for (size_t i = 0; i < l->n_values; i += l->columns) {
		struct dbl_value token = l->values[i + TOKEN_NOW];
		struct letter own = alone(
			l, json_array_get(members, (size_t)l->values[i + PLACE].i - 1), &token);

		if (l->values[i + DONE].i)
			history_carried_out(w, &own);
	}
	json_decref(members);
}
