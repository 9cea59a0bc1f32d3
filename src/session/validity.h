/* SPDX-License-Identifier: MIT */
/*
 * A term: up to when something is certainly held. It counts from before the request that earned it
 * was *sent*, less a margin, on CLOCK_BOOTTIME; so it ends before the moment at which the database
 * lets anybody else in.
 *
 *      LIVE --- its deadline is seen in the past, or it is found lost ---> OVER     (for good)
 *
 * Whoever reads a deadline that has passed ends the term, so that an answer that comes later cannot
 * revive it. Lock-free.
 */
#ifndef DBL_SESSION_VALIDITY_H
#define DBL_SESSION_VALIDITY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct dbl_validity {
	_Atomic int64_t deadline; /* positive; over: what it was, negative, or 0 */
};

/* The first deadline, before anybody else sees the term. */
void dbl_validity_begin(struct dbl_validity *, int64_t deadline);

/* Microseconds left at `now`; 0: over, from now on for good. */
static inline int64_t dbl_validity_left(struct dbl_validity *validity, int64_t now)
{
	int64_t deadline = atomic_load(&validity->deadline);

	/* On failure of the exchange `deadline` is what stands there now: look again. */
	while (deadline > 0 && now >= deadline) {
		if (atomic_compare_exchange_weak(&validity->deadline, &deadline, -deadline))
			return 0;
	}
	return deadline > 0 ? deadline - now : 0;
}

/* Its deadline; in the past, or not positive, if it is over. */
static inline int64_t dbl_validity_end_of(const struct dbl_validity *validity)
{
	return atomic_load(&validity->deadline);
}

/* The last deadline that it had, over or not; 0: it never had one. */
static inline int64_t dbl_validity_was(const struct dbl_validity *validity)
{
	int64_t deadline = atomic_load(&validity->deadline);

	return deadline < 0 ? -deadline : deadline;
}

/* It may end as soon as that: the deadline is never put off by this. */
void dbl_validity_shorten(struct dbl_validity *, int64_t deadline);

/* Another deadline, earned by an answer that came at `now`; false if the term was over by then. */
bool dbl_validity_renew(struct dbl_validity *, int64_t now, int64_t deadline);

void dbl_validity_end(struct dbl_validity *);

/* The deadline of what was asked for at `sent` and holds for `length`: earlier by a margin, for the
 * different rates of two clocks and for the way from a check to the use of what was checked. */
int64_t dbl_validity_deadline(int64_t sent, int64_t length);

#endif
