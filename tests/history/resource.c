/* SPDX-License-Identifier: MIT */
#include "history/resource.h"

#include <fcntl.h>
#include <stdatomic.h>
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

bool resource_present(struct resource *r, int name, int64_t token, int64_t *before)
{
	*before = atomic_load(&r->cells[name].newest);
	while (token >= *before) {
		if (atomic_compare_exchange_weak(&r->cells[name].newest, before, token))
			return true;
	}
	return false;
}
