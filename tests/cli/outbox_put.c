/* SPDX-License-Identifier: MIT */
/* outbox_put TOPIC KEY BODY...: puts a message for each BODY, all in one transaction on $DBLOCK_URL, as an application
 * would. The headers are those of $HEADERS. */
#include <stdio.h>
#include <stdlib.h>

#include <dblock/dblock.h>

static const char *const *bodies;
static const char *topic, *key;

static int put_all(void *unused, struct dblock_tx *tx, struct dblock_error *err)
{
	int rc = DBLOCK_OK;

	(void)unused;
	for (const char *const *body = bodies; *body && rc == DBLOCK_OK; body++)
		rc = dblock_outbox_put(tx, topic, key, *body, getenv("HEADERS"), NULL, err);
	return rc;
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client = NULL;
	int rc;

	if (argc < 4)
		return 64;
	topic = argv[1];
	key = argv[2];
	bodies = (const char *const *)(argv + 3);
	options.timeout_ms = 600000;
	rc = dblock_open(getenv("DBLOCK_URL"), &options, &client, &err);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_run(client, NULL, put_all, NULL, &err);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "outbox_put: %s: %s\n", dblock_outcome_name(rc), err.message);
	dblock_close(client, NULL);
	return rc != DBLOCK_OK;
}
