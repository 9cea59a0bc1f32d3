/* SPDX-License-Identifier: MIT */
/* Memory. A function that can fail returns NULL then; dbl_free(NULL) is allowed. */
#ifndef DBL_BASE_MEM_H
#define DBL_BASE_MEM_H

#include <stddef.h>

void *dbl_alloc(size_t size); /* zeroed */
void *dbl_realloc(void *p, size_t size);
void dbl_free(void *p);
char *dbl_strdup(const char *text); /* NULL stays NULL */
char *dbl_strndup(const char *text, size_t len);

#endif
