/* SPDX-License-Identifier: MIT */
/* Tests of locks inside transactions share two clients, and a table of accounts. */
#ifndef TESTS_DB_WITHIN_KIT_H
#define TESTS_DB_WITHIN_KIT_H

#include "support/raw.h"
#include "support/tx.h"

static struct dblock_client *a, *b;

/* On SQLite other clients wait for the transaction's file, so their timeouts are short. */
static inline void open_both(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	a = client_new(0);
	options.timeout_ms = on_backend("sqlite") ? 300 : PLENTY_MS;
	b = client_with(&options);
}

static inline int set_up(void **state)
{
	(void)state;
	open_both();
	tx_make_accounts(a, 3);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	return 0;
}

static inline void fence(struct dblock_tx *tx, struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	expect(OK, dblock_fence(tx, lock, &err));
}

static inline struct dblock_lock *acquire_in(struct dblock_tx *tx, const char *name)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_tx_try(tx, a, name, NULL, &lock, &err));
	return lock;
}

static inline void release_in(struct dblock_tx *tx, struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	expect(OK, dblock_tx_release(tx, lock, &err));
}

static inline void end(struct dblock_tx *tx, bool commit)
{
	struct dblock_error err = {0};

	expect(OK, commit ? dblock_tx_commit(tx, &err) : dblock_tx_rollback(tx, &err));
	dblock_tx_close(tx);
}

#endif
