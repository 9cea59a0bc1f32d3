/* SPDX-License-Identifier: MIT */
/* base/mem.h, in the place of src/base/mem.c. */
#include "base/mem.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memory.h"

/* Each block has this before it: its neighbours in the list. */
struct block {
	alignas(max_align_t) struct memory links;
};

static void link_in(struct block *b, struct memory **all)
{
	b->links.next = *all;
	b->links.at = all;
	if (*all)
		(*all)->at = &b->links.next;
	*all = &b->links;
}

static void link_out(struct block *b)
{
	*b->links.at = b->links.next;
	if (b->links.next)
		b->links.next->at = b->links.at;
}

/* Memory that is taken outside of all processes has no owner that matters. */
static struct memory **owner(void)
{
	static struct memory *nobodys;
	const struct coroutine *co = coroutine_self();

	return co && co->process ? &co->process->memory : &nobodys;
}

void *dbl_alloc(size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + size);

	if (!b)
		return NULL;
	link_in(b, owner());
	return b + 1;
}

void *dbl_realloc(void *p, size_t size)
{
	struct block *b = p ? (struct block *)p - 1 : NULL;
	struct memory **all = b ? b->links.at : owner();

	if (b)
		link_out(b);
	b = realloc(b, sizeof(*b) + size);
	if (!b)
		abort();
	link_in(b, all);
	return b + 1;
}

void dbl_free(void *p)
{
	if (!p)
		return;
	link_out((struct block *)p - 1);
	free((struct block *)p - 1);
}

char *dbl_strdup(const char *text)
{
	return text ? dbl_strndup(text, strlen(text)) : NULL;
}

char *dbl_strndup(const char *text, size_t len)
{
	size_t n = strnlen(text, len);
	char *copy = dbl_alloc(n + 1);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}

void memory_drop(struct memory **all)
{
	while (*all) {
		struct memory *next = (*all)->next;

		free(*all);
		*all = next;
	}
}
