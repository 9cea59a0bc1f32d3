/* SPDX-License-Identifier: MIT */
#include "history/resource.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t size_of(const struct resource *r)
{
	return (size_t)r->n * sizeof(*r->cells);
}

bool resource_open(struct resource *r, const char *path, int names)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	void *at;

	r->n = names;
	if (fd < 0)
		return false;
	if (ftruncate(fd, (off_t)size_of(r))) {
		close(fd);
		return false;
	}
	at = mmap(NULL, size_of(r), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	r->cells = at;
	return at != MAP_FAILED;
}

void resource_close(struct resource *r)
{
	munmap(r->cells, size_of(r));
}

/* A token that is older than the first one by less than this can be stored, too. */
#define OLDER 600000000

static int64_t base_of(struct resource_cell *cell, int64_t token)
{
	int64_t base = 0;

	if (atomic_compare_exchange_strong(&cell->base, &base, token - OLDER))
		return token - OLDER;
	return base;
}

/* Returns a stored token; 0: there was none. */
static int64_t token_of(int64_t base, uint32_t told)
{
	return told ? base + told : 0;
}

bool resource_present(struct resource *r, int name, int64_t token, bool writes, int64_t *before,
		      int64_t *wrote)
{
	struct resource_cell *cell = &r->cells[name];
	int64_t base = base_of(cell, token);
	uint64_t was = atomic_load(&cell->state), is;
	uint32_t mine = (uint32_t)(token - base);

	if (token - base > UINT32_MAX)
		abort();
	do {
		uint32_t newest = (uint32_t)was, writer = (uint32_t)(was >> 32);

		*before = token_of(base, newest);
		*wrote = token_of(base, writer);
		if (token <= base || mine < (writes ? newest : writer))
			return false;
		newest = mine > newest ? mine : newest;
		is = (uint64_t)(writes ? mine : writer) << 32 | newest;
	} while (!atomic_compare_exchange_weak(&cell->state, &was, is));
	return true;
}

bool resource_present_alone(struct resource *r, int name, int64_t token, int64_t *before)
{
	_Atomic uint64_t *newest = &r->cells[name].state;
	uint64_t was = atomic_load(newest);

	do {
		*before = (int64_t)was;
		if (token < *before)
			return false;
	} while (!atomic_compare_exchange_weak(newest, &was, (uint64_t)token));
	return true;
}
