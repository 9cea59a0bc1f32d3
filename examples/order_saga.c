/* SPDX-License-Identifier: MIT */
/*
 * An order, its payment and its piece of the stock, in three databases of any kind, as a saga:
 * order_saga ORDERS PAYMENT STOCK fill CUSTOMER MONEY ARTICLE PIECES |
 *                                 buy NUMBER CUSTOMER ARTICLE | cancel NUMBER CUSTOMER ARTICLE | work
 *
 * Each step commits by itself, in its own database, and with it a message: that the next step is to
 * be done; or, where the step is refused (no money, no piece left), that the one before is to be
 * undone, and after that the one before that. A relay takes each message to the database of its
 * step, perhaps twice; that it was had is noted in the step's transaction, so the second copy does
 * nothing. What a step has written is seen before the saga is over. (In order.c it is not: there
 * rows stay locked instead, and a recovery has to run.)
 *
 * work: until no order is open. Any number may run at once, anywhere, and be killed at any time:
 * where a saga has come to stands in the outboxes, and whoever comes next goes on from there.
 * cancel: for a customer who changes his mind, whatever step his order is at.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_saga/shop.h"

enum { REFUSED = 100 }; /* an outcome of our own: this step cannot be done */

/* A topic each, for what is put there; and the source of that for who has it. */
static const char *const places[PLACES] = {"orders", "payment", "stock"};

/* ---- the steps ------------------------------------------------------------------------------- */

/*
 * Where a step is done, the statements that do it, and those that undo it. $1 is the order's
 * number, $2 its customer, in STOCK its article. If the first one changes no row the step is
 * refused, and has changed nothing.
 *
 * The undoing may come twice, and before the step: the customer may cancel at any time. So it
 * leaves a row in any case, and a step that finds its row is refused.
 */
static const struct step {
	enum place place;
	const char *act[3], *undo[4];
} steps[] = {
	{ORDERS,
	 {"INSERT INTO orders (number, customer, state) VALUES ($1, $2, 'open')"},
	 {"UPDATE orders SET state = 'cancelled' WHERE number = $1 AND customer = $2"}},
	{PAYMENT,
	 {"UPDATE account SET money = money - 10 WHERE customer = $2 AND money >= 10 "
	  "AND NOT EXISTS (SELECT 1 FROM payment WHERE number = $1)",
	  "INSERT INTO payment (number, customer, state) VALUES ($1, $2, 'paid')"},
	 {"UPDATE account SET money = money + 10 WHERE customer = $2 "
	  "AND EXISTS (SELECT 1 FROM payment WHERE number = $1 AND state = 'paid')",
	  "DELETE FROM payment WHERE number = $1 AND customer = $2",
	  "INSERT INTO payment (number, customer, state) VALUES ($1, $2, 'returned')"}},
	{STOCK,
	 {"UPDATE stock SET pieces = pieces - 1 WHERE article = $2 AND pieces > 0 "
	  "AND NOT EXISTS (SELECT 1 FROM piece WHERE number = $1)",
	  "INSERT INTO piece (number, article, state) VALUES ($1, $2, 'taken')"},
	 {"UPDATE stock SET pieces = pieces + 1 WHERE article = $2 "
	  "AND EXISTS (SELECT 1 FROM piece WHERE number = $1 AND state = 'taken')",
	  "DELETE FROM piece WHERE number = $1 AND article = $2",
	  "INSERT INTO piece (number, article, state) VALUES ($1, $2, 'returned')"}},
	{ORDERS, /* after that nothing is refused, so nothing is undone */
	 {"UPDATE orders SET state = 'done' WHERE number = $1 AND customer = $2 "
	  "AND state = 'open'"},
	 {NULL}},
};

enum { LAST = sizeof(steps) / sizeof(steps[0]) - 1 };

struct order {
	char number[20], customer[60], article[60];
};

/* REFUSED: no row was changed. */
static int change(struct dblock_tx *tx, const char *sql, const struct order *order,
		  const char *name, struct dblock_error *err)
{
	struct dblock_value values[] = {dblock_int(atoll(order->number)), dblock_text(name)};
	int64_t changed = 0;
	int rc = dblock_tx_query(tx, sql, values, 2, &changed, NULL, NULL, err);

	return rc == DBLOCK_OK && changed == 0 ? REFUSED : rc;
}

static int put(struct dblock_tx *tx, enum place here, const struct order *order, bool undo, int at,
	       struct dblock_error *err)
{
	char headers[20], body[130];

	snprintf(headers, sizeof(headers), "%s %d", undo ? "undo" : "do", at);
	snprintf(body, sizeof(body), "%s %s", order->customer, order->article);
	return dblock_outbox_put(tx, places[here], order->number, body, headers, NULL, err);
}

/* Does a step, or undoes it; in the same transaction goes the message that goes on from there. */
static int take_step(struct dblock_tx *tx, const struct order *order, bool undo, int at,
		     struct dblock_error *err)
{
	const struct step *step = &steps[at];
	const char *name = step->place == STOCK ? order->article : order->customer;
	const char *const *sql = undo ? step->undo : step->act;
	int rc = change(tx, *sql, order, name, err);

	if (rc == REFUSED && !undo)
		undo = true;
	else
		while (rc >= 0 && *++sql)
			rc = change(tx, *sql, order, name, err);
	at += undo ? -1 : 1;
	if (rc < 0 || at < 0 || at > LAST)
		return rc < 0 ? rc : DBLOCK_OK;
	return put(tx, step->place, order, undo, at, err);
}

/* ---- messages are had ------------------------------------------------------------------------ */

struct delivery {
	const struct shop *shop;
	enum place from;
	const struct dblock_message *message;
	struct order order;
	bool undo;
	int at;
};

/* A step and its undoing may come from two databases at once: the lock lets one go first. */
static int have_message(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct delivery *d = arg;
	const struct dblock_message *m = d->message;
	char name[40];
	int rc;

	snprintf(name, sizeof(name), "order/%s", m->key);
	rc = dblock_tx_lock(tx, d->shop->at[steps[d->at].place], name, NULL, NULL, err);
	if (rc == DBLOCK_OK)
		rc = dblock_inbox_seen(tx, places[d->from], m->key, m->number, m->id, err);
	if (rc == DBLOCK_OK)
		return take_step(tx, &d->order, d->undo, d->at, err);
	return rc == DBLOCK_DONE ? DBLOCK_OK : rc; /* it was had before */
}

static int deliver(void *arg, const struct dblock_message *message, struct dblock_error *err)
{
	struct delivery *d = arg;
	struct order *order = &d->order;

	d->message = message;
	d->undo = message->headers[0] == 'u';
	snprintf(order->number, sizeof(order->number), "%s", message->key);
	if (sscanf(message->headers, "%*s %d", &d->at) != 1 || d->at < 0 ||
	    d->at > LAST - d->undo ||
	    sscanf(message->body, "%59s %59s", order->customer, order->article) != 2) {
		snprintf(err->message, sizeof(err->message), "what is '%s'?", message->headers);
		return err->code = DBLOCK_E_REFUSED; /* for a person: dblock outbox ls */
	}
	return dblock_tx_run(d->shop->at[steps[d->at].place], NULL, have_message, d, err);
}

static void tell_failed(void *arg, const struct dblock_message *message,
			const struct dblock_error *why, int64_t again_ms)
{
	(void)arg;
	fprintf(stderr, "order %s: %s: %s%s\n", message->key, message->headers, why->message,
		again_ms < 0 ? "; given up" : "");
}

static int work(const struct shop *shop, struct dblock_error *err)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	int64_t open = 0;
	int rc;

	options.drain = true;
	options.failed = tell_failed;
	do {
		poll(NULL, 0, open > 0 ? 100 : 0);
		rc = DBLOCK_OK;
		for (int from = 0; rc == DBLOCK_OK && from < PLACES; from++) {
			struct delivery d = {.shop = shop, .from = from};

			rc = dblock_outbox_relay(shop->at[from], places[from], deliver, &d,
						 &options, err);
		}
		if (rc == DBLOCK_OK)
			rc = shop_count_open(shop, &open, err);
	} while (rc == DBLOCK_OK && open > 0);
	return rc;
}

/* ---- customers, and the command line --------------------------------------------------------- */

static int buy(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	return take_step(tx, arg, false, 0, err);
}

/* All is undone, from the last step on that can be, whether it is done already or not. */
static int cancel(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct order *order = arg;
	int rc = change(tx,
			"UPDATE orders SET state = 'cancelling' WHERE number = $1 AND "
			"customer = $2 AND state = 'open'",
			order, order->customer, err);

	if (rc == REFUSED) {
		snprintf(err->message, sizeof(err->message), "it is too late");
		err->code = rc;
	}
	return rc ? rc : put(tx, ORDERS, order, true, LAST - 1, err);
}

static int act(const struct shop *shop, int argc, char **argv, struct dblock_error *err)
{
	struct order order;

	if (argc == 5)
		return work(shop, err);
	if (argc == 9)
		return shop_fill(shop, argv + 5, err);
	snprintf(order.number, sizeof(order.number), "%s", argv[5]);
	snprintf(order.customer, sizeof(order.customer), "%s", argv[6]);
	snprintf(order.article, sizeof(order.article), "%s", argv[7]);
	return dblock_tx_run(shop->at[ORDERS], NULL, strcmp(argv[4], "buy") ? cancel : buy, &order,
			     err);
}

int main(int argc, char **argv)
{
	struct dblock_error err = {0};
	struct shop shop = {0};
	int rc;

	if (argc != 5 && argc != 8 && argc != 9) {
		fprintf(stderr, "usage: order_saga ORDERS PAYMENT STOCK "
				"fill CUSTOMER MONEY ARTICLE PIECES | buy NUMBER CUSTOMER ARTICLE "
				"| cancel NUMBER CUSTOMER ARTICLE | work\n");
		return 2;
	}
	rc = shop_open(&shop, argv + 1, &err);
	if (rc == DBLOCK_OK)
		rc = act(&shop, argc, argv, &err);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "order_saga: %s\n", err.message);
	shop_close(&shop);
	return rc != DBLOCK_OK;
}
