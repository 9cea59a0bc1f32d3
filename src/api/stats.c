/* SPDX-License-Identifier: MIT */
/* What a client tells of itself. */
#include <dblock/stats.h>

#include "api/client.h"

int dblock_stats_of(const struct dblock_client *client, struct dblock_stats *stats,
		    struct dblock_error *err)
{
	struct dblock_stats ours;
	bool of_cluster = client && client->limits == DBL_LOCKS_ONLY;
	int rc = of_cluster ? dbl_client_check_locks(client, err)
			    : dbl_client_check_look(client, err);

	if (rc == 0)
		rc = dbl_out_check(stats, "DBLOCK_STATS", err);
	if (rc)
		return rc;
	dbl_tally_read(&client->tally, client->connections, &ours);
	dbl_out_write(stats, &ours, sizeof(ours));
	return DBLOCK_OK;
}

/* Has it a session of this process? */
static bool has_session(const struct dblock_client *client)
{
	return client && client->pid == dbl_host_pid() && client->limits == DBL_DOES_ALL;
}

enum dblock_connection_state dblock_connection_state_of(const struct dblock_client *client)
{
	return has_session(client) ? dbl_session_state(client->locks->session) : DBLOCK_STATE_NONE;
}

int dblock_session_id(const struct dblock_client *client, char id[DBLOCK_SESSION_ID_SIZE],
		      struct dblock_error *err)
{
	int rc = id ? 0 : dbl_fail(err, DBLOCK_E_INVALID, "id is NULL");

	if (rc)
		return rc;
	id[0] = '\0';
	rc = dbl_client_check(client, err);
	if (rc == 0)
		dbl_session_id(client->locks->session, id);
	return rc;
}
