/* SPDX-License-Identifier: MIT */
#include <dblock/global.h>

#include <string.h>

#include "api/client.h"
#include "api/tx.h"
#include "base/mem.h"
#include "global/recover.h"

#define GRACE_DEFAULT_MS 60000

int dblock_global_begin(struct dblock_tx *home, struct dblock_global **global,
			struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_tx_check(home, &heard);

	if (global)
		*global = NULL;
	else
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "global is NULL");
	if (rc == 0)
		rc = dbl_global_begin(home, global, &heard);
	return dbl_tell(err, &heard, rc);
}

static int check(const struct dblock_global *global, struct dblock_error *err)
{
	return global ? dbl_tx_check(global->home, err)
		      : dbl_fail(err, DBLOCK_E_INVALID, "global is NULL");
}

int dblock_global_join(struct dblock_global *global, struct dblock_tx *tx, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = check(global, &heard);

	if (rc == 0)
		rc = dbl_tx_check(tx, &heard);
	if (rc == 0)
		rc = dbl_global_join(global, tx, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_global_commit(struct dblock_global *global, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = check(global, &heard);

	if (rc == 0 && global->over)
		rc = dbl_fail(&heard, DBLOCK_E_INVALID, "the global transaction is over");
	if (rc == 0)
		rc = dbl_global_commit(global, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_global_rollback(struct dblock_global *global, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = check(global, &heard);

	if (rc == 0)
		rc = dbl_global_rollback(global, &heard);
	return dbl_tell(err, &heard, rc);
}

void dblock_global_close(struct dblock_global *global)
{
	DBL_UNCANCELED;

	if (global && dbl_tx_check(global->home, NULL) == 0)
		dbl_global_close(global);
}

const char *dblock_global_id(const struct dblock_global *global)
{
	return global ? global->xid.id : "";
}

int64_t dblock_global_unfinished(const struct dblock_global *global)
{
	return global ? global->unfinished : 0;
}

static int check_recovery(const struct dblock_recover_options *o, struct dblock_error *err)
{
	if (o->id && (strlen(o->id) != 16 || strspn(o->id, "0123456789abcdef") != 16))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"id is '%s', and has to be the 16 hexadecimal digits of a "
				"dblock_global_id()",
				o->id);
	if (o->verdict < DBLOCK_VERDICT_NONE || o->verdict > DBLOCK_VERDICT_ROLL_BACK)
		return dbl_fail(err, DBLOCK_E_INVALID, "verdict is %d, and there is none such",
				(int)o->verdict);
	if (o->verdict && (!o->id || o->look))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"a verdict is of one transaction: give its id, and do not look only");
	if (o->without_home && !o->verdict)
		return dbl_fail(err, DBLOCK_E_INVALID, "without_home goes with a verdict");
	return 0;
}

static int check_clients(struct dblock_client *const *clients, size_t n, bool look,
			 struct dblock_error *err)
{
	int rc = 0;

	if (!clients || n == 0)
		return dbl_fail(err, DBLOCK_E_INVALID, "no client is given");
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = look ? dbl_client_check_look(clients[i], err)
			  : dbl_client_check(clients[i], err);
	return rc;
}

static int read_recovery(struct dbl_recovery *r, struct dblock_client *const *clients, size_t n,
			 const struct dblock_recover_options *given, struct dblock_error *err)
{
	struct dblock_recover_options *o = &r->asked;
	int rc = dbl_options_read(o, sizeof(*o), given, "DBLOCK_RECOVER_OPTIONS", err);

	if (rc == 0)
		rc = check_recovery(o, err);
	if (rc == 0)
		rc = check_clients(clients, n, o->look, err);
	if (rc == 0)
		rc = dbl_time_read(&r->grace, "grace_ms", o->grace_ms, 1, DBLOCK_TIMEOUT_MAX_MS,
				   GRACE_DEFAULT_MS, err);
	if (rc)
		return rc;
	r->places = dbl_alloc(n * sizeof(*r->places));
	if (!r->places)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	r->n_places = (unsigned)n;
	r->env = clients[0]->locks->env;
	for (size_t i = 0; i < n; i++)
		r->places[i] = (struct dbl_place){.pool = &clients[i]->pool,
						  .timeout = clients[i]->locks->timeout};
	return 0;
}

int dblock_recover(struct dblock_client *const *clients, size_t n,
		   const struct dblock_recover_options *options, dblock_recovery_cb *found,
		   void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	struct dbl_recovery r = {.found = found, .arg = arg};
	int rc = read_recovery(&r, clients, n, options, &heard);

	if (rc == 0)
		rc = dbl_recover(&r, &heard);
	dbl_free(r.places);
	return dbl_tell(err, &heard, rc);
}
