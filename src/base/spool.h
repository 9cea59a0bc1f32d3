/* SPDX-License-Identifier: MIT */
/* A text of any size. While it is small it is collected in memory; else in a file without a name, in
 * $TMPDIR, /var/tmp or /tmp, which is then mapped: the kernel has as much of it in memory as it likes,
 * and nobody else can change it. */
#ifndef DBL_BASE_SPOOL_H
#define DBL_BASE_SPOOL_H

#include <stddef.h>

#include "base/str.h"

struct dbl_text {
	char *text; /* NUL-terminated; to be read only, if it is mapped */
	size_t len;
	size_t mapped; /* bytes of the map; 0: it is in memory */
};

struct dbl_spool {
	struct dbl_str text; /* what is not in the file */
	size_t keep;         /* with more than so many bytes it is written there */
	int fd;              /* -1: there is none yet */
	size_t written;
	int error; /* errno of what failed; 0: nothing has */
};

/* Begins a text, of which no more than `keep` bytes are to be in memory. */
void dbl_spool_begin(struct dbl_spool *, size_t keep);
/* Adds to it. Returns 0, or errno, which each later call returns as well. */
int dbl_spool_add(struct dbl_spool *, const char *text, size_t len);
/* Ends it, in any case: 0, or errno. The text is the caller's to free. */
int dbl_spool_end(struct dbl_spool *, struct dbl_text *);

/* Ends one that is not wanted. */
void dbl_spool_drop(struct dbl_spool *);

void dbl_text_free(const struct dbl_text *);

/* Tells the kernel that what was read of a map so far need not be in memory, which does not change what
 * can be read. Call it each time that so many bytes were read. */
void dbl_text_passed(const char *text, size_t mapped);
enum { DBL_TEXT_STRIDE = 4 << 20 };

/* Returns the folder of such files. */
const char *dbl_spool_folder(void);

#endif
