/* SPDX-License-Identifier: MIT */
/*
 * A mail for each order, and none without one: outbox_mail URL order CUSTOMER N | send N
 *
 * The order and its mail are written in one transaction, the mail as a message of dblock's outbox. So a program that
 * crashes in between leaves both or neither. A relay sends the mails afterwards, those of a customer in the order of his
 * orders. At least once: one that crashed behind a mail sends it again, so that a mail has a number that tells.
 * order: the order N of the customer; none has the number 13, which is refused, and nobody gets a mail.
 * send: until so many mails are sent. The first time the mail server refuses, as real ones do; it is tried again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/outbox.h>

struct order {
	const char *customer;
	int64_t number;
};

static int write_order(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct order *order = arg;
	struct dblock_value values[] = {dblock_text(order->customer), dblock_int(order->number)};
	char body[64];
	int rc;

	snprintf(body, sizeof(body), "thank you for order %lld", (long long)order->number);
	rc = dblock_outbox_put(tx, "mail", order->customer, body, NULL, NULL, err);
	if (rc != DBLOCK_OK)
		return rc;
	return dblock_tx_query(tx, "INSERT INTO orders (customer, number) VALUES ($1, $2)", values,
			       2, NULL, NULL, NULL, err);
}

static int make_table(struct dblock_client *client, struct dblock_error *err)
{
	struct dblock_tx *tx;
	int rc = dblock_tx_open(client, &tx, err);

	if (rc == DBLOCK_OK)
		rc = dblock_tx_query(tx,
				     "CREATE TABLE IF NOT EXISTS orders (customer VARCHAR(60) NOT "
				     "NULL, number BIGINT PRIMARY KEY, CHECK (number <> 13))",
				     NULL, 0, NULL, NULL, NULL, err);
	dblock_tx_close(tx);
	return rc;
}

/* ---- mails ----------------------------------------------------------------------------------- */

struct mailer {
	int sent, wanted, refused;
};

static int send_mail(void *arg, const struct dblock_message *message, struct dblock_error *err)
{
	struct mailer *mailer = arg;

	if (mailer->refused++ == 0) {
		snprintf(err->message, sizeof(err->message), "451 try again later");
		return err->code = 451; /* any number of one's own: it was not delivered */
	}
	printf("to %s: %s (mail %lld)\n", message->key, message->body, (long long)message->number);
	mailer->sent++;
	return DBLOCK_OK;
}

static int is_done(void *arg)
{
	return ((struct mailer *)arg)->sent >= ((struct mailer *)arg)->wanted;
}

static void tell_failed(void *arg, const struct dblock_message *message,
			const struct dblock_error *why, int64_t again_ms)
{
	(void)arg;
	fprintf(stderr, "to %s: %s%s\n", message->key, why->message,
		again_ms < 0 ? "; given up" : "");
}

static int send_mails(struct dblock_client *client, int n, struct dblock_error *err)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	struct mailer mailer = {.wanted = n};
	int rc;

	options.pause_ms = 100;
	options.canceled = is_done;
	options.canceled_arg = &mailer;
	options.failed = tell_failed;
	rc = dblock_outbox_relay(client, "mail", send_mail, &mailer, &options, err);
	return rc == DBLOCK_CANCELED ? DBLOCK_OK : rc;
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err = {0};
	struct order order;
	int rc;

	if (argc < 4 || (strcmp(argv[2], "order") == 0) != (argc == 5)) {
		fprintf(stderr, "usage: outbox_mail URL order CUSTOMER N | send N\n");
		return 2;
	}
	order = (struct order){argv[3], atoll(argv[argc - 1])};
	options.auto_migrate = 1;
	rc = dblock_open(argv[1], &options, &client, &err);
	if (rc == DBLOCK_OK)
		rc = make_table(client, &err);
	if (rc == DBLOCK_OK)
		rc = argc == 5 ? dblock_tx_run(client, NULL, write_order, &order, &err)
			       : send_mails(client, atoi(argv[3]), &err);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "outbox_mail: %s\n", err.message);
	dblock_close(client, NULL);
	return rc != DBLOCK_OK;
}
