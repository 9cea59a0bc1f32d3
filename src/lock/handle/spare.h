/* SPDX-License-Identifier: MIT */
/*
 * Handles that have come to their end, a few for each client: the next acquires take theirs from
 * there, with room for a name and a note (debt), and ask for no memory. Any thread, no mutex. Where
 * memory is watched (sanitizers) none is kept, so that nothing is hidden from them. Inside
 * src/lock.
 */
#ifndef DBL_LOCK_SPARE_H
#define DBL_LOCK_SPARE_H

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DBL_IS_WATCHED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DBL_IS_WATCHED true
#endif
#endif
#ifndef DBL_IS_WATCHED
#define DBL_IS_WATCHED false
#endif

struct dblock_lock;

enum { DBL_SPARES = 8 };

struct dbl_spare {
	struct dblock_lock *_Atomic all[DBL_SPARES];
};

/* As new, with this name; NULL: none is left, or no memory. */
struct dblock_lock *dbl_spare_take(struct dbl_spare *, const char *name);

/* One that has nothing but its name and perhaps its debt; false: it is not kept. */
bool dbl_spare_give(struct dbl_spare *, struct dblock_lock *);

/* A handle by itself: allocated, with this name; NULL: no memory. And freed, with what it has. */
struct dblock_lock *dbl_spare_new(const char *name);
void dbl_spare_free(struct dblock_lock *);

void dbl_spare_fini(struct dbl_spare *);

#endif
