/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void *dbl_alloc(size_t size)
{
	return calloc(1, size ? size : 1);
}

void *dbl_realloc(void *p, size_t size)
{
	return realloc(p, size ? size : 1);
}

void dbl_free(void *p)
{
	free(p);
}

char *dbl_strndup(const char *text, size_t len)
{
	char *copy = dbl_alloc(len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *dbl_strdup(const char *text)
{
	return text ? dbl_strndup(text, strlen(text)) : NULL;
}
