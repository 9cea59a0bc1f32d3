/* SPDX-License-Identifier: MIT */
#include "lock/grant/permit.h"

#include <stdlib.h>

#include "base/mem.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"

/* The numbers that are taken, in their order, as one statement saw them. */
struct taken {
	struct one {
		int64_t number, nonce;
		bool holds;
	} * all;
	unsigned n, room;
};

struct dbl_numbers {
	unsigned n;
	int64_t number[];
};

static int take_one(void *ctx, const struct dbl_value *row)
{
	struct taken *taken = ctx;
	unsigned room = taken->room ? taken->room * 2 : 16;
	struct one *more;

	if (taken->n == taken->room) {
		more = dbl_realloc(taken->all, room * sizeof(*more));
		if (!more)
			return DBLOCK_E_NOMEM;
		taken->all = more;
		taken->room = room;
	}
	taken->all[taken->n++] = (struct one){row[0].i, row[1].i, row[2].i != 0};
	return 0;
}

static int read_taken(const struct dblock_lock *lock, struct taken *taken, int64_t deadline,
		      struct dblock_error *err)
{
	struct dbl_value name = dbl_text(lock->name);
	struct dbl_request request = {.op = DBL_OP_permit_list,
				      .args = DBL_ARG(name),
				      .row = take_one,
				      .ctx = taken,
				      .deadline = deadline};
	int rc;

	taken->n = 0;
	rc = dbl_retry_while_locked(lock->locks, &request, err);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, rc, "out of memory") : rc;
}

/* Sent a second time it finds our nonce, and changes nothing: the next look finds that, too. */
static int take_number(const struct dblock_lock *lock, int64_t number, int64_t over,
		       int64_t deadline, bool *ours, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(lock->name), dbl_int(number),
				   dbl_int(lock->grant.nonce), dbl_int(over)};
	struct dbl_request request = {
		.op = DBL_OP_permit_take, .args = DBL_ARGS(args), .deadline = deadline};
	int rc = dbl_run_durable(lock->locks, &request, err);

	*ours = rc == 0 && request.changed > 0;
	return rc;
}

/* What is ours by now, perhaps by a copy whose reply was lost. */
static void find_own(const struct dblock_lock *lock, const struct taken *taken,
		     struct dbl_numbers *numbers)
{
	numbers->n = 0;
	for (unsigned i = 0; i < taken->n && numbers->n < lock->grant.weight; i++) {
		if (taken->all[i].nonce == lock->grant.nonce)
			numbers->number[numbers->n++] = taken->all[i].number;
	}
}

/* Takes free numbers, from the smallest, until there are enough or somebody is faster. */
static int take_free(const struct dblock_lock *lock, const struct taken *taken,
		     struct dbl_numbers *numbers, int64_t deadline, struct dblock_error *err)
{
	unsigned i = 0;
	bool ours = true;
	int rc = 0;

	for (int64_t number = 0; rc == 0 && ours && numbers->n < lock->grant.weight; number++) {
		const struct one *has =
			i < taken->n && taken->all[i].number == number ? &taken->all[i++] : NULL;

		if (has && (has->holds || has->nonce == lock->grant.nonce))
			continue;
		rc = take_number(lock, number, has ? has->nonce : 0, deadline, &ours, err);
		if (rc == 0 && ours)
			numbers->number[numbers->n++] = number;
	}
	return rc;
}

static int by_number(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return (one > other) - (one < other);
}

static int number(const struct dblock_lock *lock, struct dbl_numbers *numbers,
		  struct dblock_error *err)
{
	int64_t deadline = dbl_locks_deadline(lock->locks);
	struct taken taken = {.n = 0};
	int rc = 0;

	/* Each time that it is not faster somebody else is, so all get on. */
	while (rc == 0 && numbers->n < lock->grant.weight) {
		rc = read_taken(lock, &taken, deadline, err);
		find_own(lock, &taken, numbers);
		if (rc == 0)
			rc = take_free(lock, &taken, numbers, deadline, err);
	}
	dbl_free(taken.all);
	return rc;
}

int dbl_permits_number(struct dblock_lock *lock, struct dblock_error *err)
{
	size_t size = (size_t)lock->grant.weight * sizeof(int64_t);
	struct dbl_numbers *numbers = dbl_alloc(sizeof(*numbers) + size);
	int rc;

	DBL_ASSERT(lock->grant.mode == DBLOCK_PERMITS && lock->grant.nonce && !lock->numbers);
	if (!numbers)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	numbers->n = 0;
	rc = number(lock, numbers, err);
	if (rc) {
		dbl_free(numbers);
		return rc;
	}
	qsort(numbers->number, numbers->n, sizeof(*numbers->number), by_number);
	/* The callback `lost` may run by now, and ask. */
	atomic_store(&lock->numbers, numbers);
	return 0;
}

int64_t dbl_permit_number(const struct dblock_lock *lock, size_t index)
{
	const struct dbl_numbers *numbers = atomic_load(&lock->numbers);

	return numbers && index < numbers->n ? numbers->number[index] : -1;
}
