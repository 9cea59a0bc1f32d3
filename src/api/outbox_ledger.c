/* SPDX-License-Identifier: MIT */
/* What waits to be delivered. */
#include "api/client.h"
#include "api/message.h"
#include "outbox/ledger.h"

int dblock_outbox_topics(struct dblock_client *client, dblock_outbox_topic_cb *found, void *arg,
			 struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = dbl_outbox_topics(client->locks, found, arg, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_outbox_failures(struct dblock_client *client, const char *topic,
			   dblock_outbox_failure_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0 && topic)
		rc = dbl_topic_check(topic, &heard);
	if (rc == 0)
		rc = dbl_outbox_failures(client->locks, topic ? topic : "", found, arg, &heard);
	return dbl_tell(err, &heard, rc);
}

static int check_both(const char *topic, const char *key, struct dblock_error *err)
{
	int rc = dbl_topic_check(topic, err);

	return rc ? rc : dbl_message_key_check(key, err);
}

int dblock_outbox_messages(struct dblock_client *client, const char *topic, const char *key,
			   dblock_message_cb *found, void *arg, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check_found(client, found, &heard);

	if (rc == 0)
		rc = check_both(topic, key, &heard);
	if (rc == 0)
		rc = dbl_outbox_messages(client->locks, topic, key, found, arg, &heard);
	return dbl_tell(err, &heard, rc);
}

int dblock_outbox_retry(struct dblock_client *client, const char *topic, const char *key,
			int64_t *n, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int64_t retried = 0;
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = key ? check_both(topic, key, &heard) : dbl_topic_check(topic, &heard);
	if (rc == 0)
		rc = dbl_outbox_retry(client->locks, topic, key ? key : "", &retried, &heard);
	if (n)
		*n = retried;
	return dbl_tell(err, &heard, rc);
}

int dblock_outbox_drop(struct dblock_client *client, const char *topic, const char *key,
		       int64_t number, struct dblock_error *err)
{
	DBL_ENTRY(heard);
	int rc = dbl_client_check(client, &heard);

	if (rc == 0)
		rc = check_both(topic, key, &heard);
	if (rc == 0)
		rc = dbl_message_number_check(number, &heard);
	if (rc == 0)
		rc = dbl_outbox_drop(client->locks, topic, key, number, &heard);
	return dbl_tell(err, &heard, rc);
}
