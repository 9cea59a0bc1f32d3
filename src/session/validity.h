/* SPDX-License-Identifier: MIT */
/*
 * Until when something is certainly held: a deadline on CLOCK_BOOTTIME. It counts from before the
 * request that earned it was *sent*, less a margin; so it ends before the moment at which the
 * database lets anybody else in.
 *
 *      LIVE --- its deadline is seen in the past, or it is found lost ---> OVER     (for good)
 *
 * Who reads a deadline that has passed ends the validity, so that an answer that comes later cannot
 * revive it. Lock-free.
 */
#ifndef DBL_SESSION_VALIDITY_H
#define DBL_SESSION_VALIDITY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct dbl_validity {
	_Atomic int64_t deadline; /* positive; once over: 0, or the last deadline, negated */
};

/* Set the first deadline, before other threads see the validity. */
void dbl_validity_begin(struct dbl_validity *, int64_t deadline);

/* Microseconds left at `now`; 0: it is over, and stays so. */
static inline int64_t dbl_validity_left(struct dbl_validity *validity, int64_t now)
{
	int64_t deadline = atomic_load(&validity->deadline);

	/* If the exchange fails, `deadline` is the present value: check that one. */
	while (deadline > 0 && now >= deadline) {
		if (atomic_compare_exchange_weak(&validity->deadline, &deadline, -deadline))
			return 0;
	}
	return deadline > 0 ? deadline - now : 0;
}

/* Its deadline; if it is over, that is in the past, or not positive. */
static inline int64_t dbl_validity_end_of(const struct dbl_validity *validity)
{
	return atomic_load(&validity->deadline);
}

/* The last deadline that it had, even if it is over; 0: it never had one. */
static inline int64_t dbl_validity_was(const struct dbl_validity *validity)
{
	int64_t deadline = atomic_load(&validity->deadline);

	return deadline < 0 ? -deadline : deadline;
}

/* It ends at `deadline` if that is earlier than its own. This never puts its own off. */
void dbl_validity_shorten(struct dbl_validity *, int64_t deadline);

/* Put the deadline off, after an answer that came at `now`; false: the validity was over by
 * then. */
bool dbl_validity_renew(struct dbl_validity *, int64_t now, int64_t deadline);

void dbl_validity_end(struct dbl_validity *);

/* The deadline of what was asked for at `sent` and holds for `length`: earlier by a margin, because
 * two clocks have different rates and what was checked is used a little later. */
int64_t dbl_validity_deadline(int64_t sent, int64_t length);

#endif
