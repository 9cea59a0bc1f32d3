/* SPDX-License-Identifier: MIT */
#include "sim/letter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct letter *all, *free;
} sim;

static void *grown(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p) {
		perror("sim: a letter");
		exit(1);
	}
	return p;
}

struct letter *letter_new(void)
{
	struct letter *l = sim.free;

	if (l) {
		sim.free = l->free;
	} else {
		l = grown(NULL, sizeof(*l));
		memset(l, 0, sizeof(*l));
		l->texts = grown(NULL, TEXTS_MAX);
		l->next = sim.all;
		sim.all = l;
	}
	*l = (struct letter){
		.next = l->next,
		.users = 1,
		.texts = l->texts,
		.sql = l->sql,
		.room_sql = l->room_sql,
		.values = l->values,
		.room_values = l->room_values,
		.bytes = l->bytes,
		.room_bytes = l->room_bytes,
	};
	return l;
}

void letter_drop(struct letter *l)
{
	if (l && --l->users == 0) {
		l->free = sim.free;
		sim.free = l;
	}
}

void letter_drop_all(void)
{
	sim.free = NULL;
	for (struct letter *l = sim.all; l; l = l->next) {
		l->free = sim.free;
		sim.free = l;
	}
}

void letter_set_sql(struct letter *l, const char *sql)
{
	size_t size = strlen(sql) + 1;

	if (l->room_sql < size) {
		l->sql = grown(l->sql, size);
		l->room_sql = size;
	}
	memcpy(l->sql, sql, size);
}

void letter_set_args(struct letter *l, const struct dbl_value *args, unsigned n)
{
	size_t used = 0;

	l->n = n;
	for (unsigned i = 0; i < n; i++) {
		l->args[i] = args[i];
		if (args[i].type != DBL_TEXT)
			continue;
		if (used + args[i].len > TEXTS_MAX) {
			fprintf(stderr, "sim: the texts of a request are too long\n");
			exit(1);
		}
		l->args[i].text = memcpy(l->texts + used, args[i].text, args[i].len);
		used += args[i].len;
	}
}

static void add_bytes(struct letter *l, const char *text, size_t len)
{
	if (l->n_bytes + len > l->room_bytes) {
		l->room_bytes = (l->n_bytes + len) * 2;
		l->bytes = grown(l->bytes, l->room_bytes);
	}
	if (len > 0)
		memcpy(l->bytes + l->n_bytes, text, len);
	l->n_bytes += len;
}

void letter_add_value(struct letter *l, struct dbl_value value)
{
	if (l->n_values == l->room_values) {
		l->room_values = l->room_values ? l->room_values * 2 : 32;
		l->values = grown(l->values, l->room_values * sizeof(*l->values));
	}
	if (value.type == DBL_TEXT) {
		value.i = (int64_t)l->n_bytes;
		add_bytes(l, value.text, value.len);
	}
	l->values[l->n_values++] = value;
}

int letter_next(struct letter *l, struct dbl_value *row, unsigned n)
{
	if (l->at == l->n_values || n != l->columns)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		row[i] = l->values[l->at++];
		if (row[i].type == DBL_TEXT)
			row[i].text = l->bytes + row[i].i;
	}
	return 1;
}
