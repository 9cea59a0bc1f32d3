/* SPDX-License-Identifier: MIT */
/* What a format makes: records, news, and memory. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/migrate/import/import_own.h"

void *dbl_import_keep(struct dbl_import *im, void *allocated)
{
	void **kept = im->kept;

	if (allocated && (im->n_kept & (im->n_kept - 1)) == 0)
		kept = realloc(kept, (im->n_kept ? 2 * im->n_kept : 1) * sizeof(*kept));
	if (!allocated || !kept) {
		im->no_memory = true;
		free(allocated);
		return NULL;
	}
	im->kept = kept;
	return kept[im->n_kept++] = allocated;
}

struct dbl_record *dbl_import_add(struct dbl_import *im)
{
	struct dbl_record *records = im->records;

	if ((im->n & (im->n - 1)) == 0)
		records = realloc(records, (im->n ? 2 * im->n : 1) * sizeof(*records));
	im->no_memory |= !records;
	if (!records)
		return NULL;
	im->records = records;
	records[im->n] = (struct dbl_record){.name = ""};
	return &records[im->n++];
}

void dbl_import_tell(struct dbl_import *im, enum dbl_import_kind kind, const char *file, int line,
		     const char *fmt, ...)
{
	char text[1024];
	const struct dbl_import_news news = {kind, file, line, text};
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	im->wrong += kind == DBL_IMPORT_WRONG;
	im->left_out += kind == DBL_IMPORT_LEFT_OUT;
	im->of->told(im->of->arg, &news);
}
