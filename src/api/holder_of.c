/* SPDX-License-Identifier: MIT */
/* A holder that is kept: the struct, and behind it, in the same memory, all that it points to. */
#include <dblock/admin.h>
#include <dblock/request.h>

#include <string.h>

#include "api/client.h"
#include "base/mem.h"
#include "lock/core/name.h"

enum { TEXTS = 10 };

struct copy {
	struct dblock_holder holder; /* first: dblock_holder_free() frees the whole */
	struct dblock_release_request request;
	struct dblock_taken taken;
	char texts[];
};

struct finding {
	const char *name;
	bool found;
	struct dblock_holder *copy;
	int rc; /* if it was found */
	struct dblock_error *err;
};

/* The texts of a holder, by where it has them; returns how many. */
static unsigned texts_of(struct dblock_holder *h, struct dblock_release_request *request,
			 struct dblock_taken *taken, const char **at[TEXTS])
{
	unsigned n = 0;

	at[n++] = &h->name;
	at[n++] = &h->host;
	at[n++] = &h->app;
	at[n++] = &h->session;
	at[n++] = &h->value;
	if (h->request) {
		at[n++] = &request->reason;
		at[n++] = &request->host;
		at[n++] = &request->app;
	}
	if (h->taken) {
		at[n++] = &taken->host;
		at[n++] = &taken->app;
	}
	DBL_ASSERT(n <= TEXTS, "%u", n);
	return n;
}

static size_t size_of(const char **const *at, unsigned n)
{
	size_t size = 0;

	for (unsigned i = 0; i < n; i++)
		size += strlen(*at[i]) + 1;
	return size;
}

/* Move the texts that these point to behind the struct. */
static void keep_texts(struct copy *copy)
{
	const char **at[TEXTS];
	unsigned n = texts_of(&copy->holder, &copy->request, &copy->taken, at);
	char *to = copy->texts;

	for (unsigned i = 0; i < n; i++) {
		size_t size = strlen(*at[i]) + 1;

		*at[i] = memcpy(to, *at[i], size);
		to += size;
	}
}

struct dblock_holder *dbl_holder_copy(const struct dblock_holder *holder)
{
	struct copy from = {.holder = *holder}, *to;
	const char **at[TEXTS];

	if (holder->request)
		from.request = *holder->request;
	if (holder->taken)
		from.taken = *holder->taken;
	to = dbl_alloc(sizeof(*to) +
		       size_of(at, texts_of(&from.holder, &from.request, &from.taken, at)));
	if (!to)
		return NULL;
	memcpy(to, &from, sizeof(from));
	keep_texts(to);
	to->holder.request = holder->request ? &to->request : NULL;
	to->holder.taken = holder->taken ? &to->taken : NULL;
	return &to->holder;
}

/* The first one ends the listing. */
static int keep(void *arg, const struct dblock_holder *holder)
{
	struct finding *f = arg;

	f->found = true;
	if (holder->hold == DBLOCK_HOLD_FREE)
		f->rc = dbl_fail(f->err, DBLOCK_STALE, "'%s' is free", f->name);
	else if ((f->copy = dbl_holder_copy(holder)))
		f->rc = DBLOCK_OK;
	else
		f->rc = dbl_fail(f->err, DBLOCK_E_NOMEM, "out of memory");
	return 1;
}

int dblock_holder_of(struct dblock_client *client, const char *name, struct dblock_holder **holder,
		     struct dblock_error *err)
{
	struct finding f = {.name = name, .err = err};
	int rc;

	if (!holder)
		return dbl_fail(err, DBLOCK_E_INVALID, "holder is NULL");
	*holder = NULL;
	rc = dblock_show(client, name, keep, &f, err);
	*holder = f.copy;
	return f.found ? f.rc : rc;
}

void dblock_holder_free(struct dblock_holder *holder)
{
	dbl_free(holder);
}
