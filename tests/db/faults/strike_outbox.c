/* SPDX-License-Identifier: MIT */
/* Messages are delivered while each driver call in turn goes wrong in each way: none is lost, and each key's come in
 * order. */
#include <dblock/outbox.h>

#include "db/faults/strike_kit.h"
#include "outbox/page.h"

#define FAILURES DBLOCK_E_UNSURE, DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER

enum { ROOM = 64, MESSAGES = 3 };

/* Two messages of one key, one of another; what was delivered, in order. */
struct mail {
	char list[ROOM]; /* '1', '2': of the first key; 'b': of the other */
	int n;
	bool bad; /* the other key's fails, once */
	bool enough;
};

static int deliver(void *arg, const struct dblock_message *m, struct dblock_error *err)
{
	struct mail *mail = arg;

	if (mail->bad && *m->key == 'b') {
		mail->bad = false;
		snprintf(err->message, sizeof(err->message), "no such customer");
		return err->code = 1000;
	}
	assert_true(mail->n < ROOM);
	mail->list[mail->n++] = *m->key == 'b' ? 'b' : (char)('0' + m->number);
	return 0;
}

static void put(struct stage *s, const char *key)
{
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	expect(OK, dblock_tx_open(s->calm, &tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_outbox_put(tx, "t", key, "body", NULL, NULL, &err));
	expect(OK, dblock_tx_commit(tx, &err));
	dblock_tx_close(tx);
}

static void with_mail(struct stage *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_outbox");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_key");
	raw_exec(s->raw, "DELETE FROM dblock_outbox_failure");
	put(s, "a");
	put(s, "a");
	put(s, "b");
	s->own = calloc(1, sizeof(struct mail));
	with_client(s);
}

static void with_bad_mail(struct stage *s)
{
	with_mail(s);
	((struct mail *)s->own)->bad = true;
}

static void without_mail(struct stage *s)
{
	free(s->own);
	s->own = NULL;
}

static int drain_by(struct dblock_client *client, struct mail *mail, struct dblock_error *err)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;

	options.drain = true;
	return dblock_outbox_relay(client, "t", deliver, mail, &options, err);
}

static int call_drain(struct stage *s, struct dblock_error *err)
{
	return drain_by(s->client, s->own, err);
}

static int is_enough(void *arg)
{
	const struct mail *mail = arg;

	return mail->enough || mail->n >= MESSAGES;
}

static void give_up(void *arg, const struct dblock_error *why)
{
	(void)why;
	((struct mail *)arg)->enough = true;
}

/* One that goes on, with a bell, until it has delivered all, or met trouble. */
static int call_relay(struct stage *s, struct dblock_error *err)
{
	struct dblock_relay_options options = DBLOCK_RELAY_OPTIONS_INIT;
	const struct mail *mail = s->own;
	struct dblock_error heard = {0};
	int rc;

	options.canceled = is_enough;
	options.canceled_arg = options.trouble_arg = s->own;
	options.trouble = give_up;
	rc = dblock_outbox_relay(s->client, "t", deliver, s->own, &options, &heard);
	if (rc == DBLOCK_CANCELED && mail->n >= MESSAGES)
		return 0;
	*err = heard;
	return rc;
}

static bool is_waiting(struct stage *s, char c)
{
	return raw_int(s->raw,
		       "SELECT count(*) FROM dblock_outbox WHERE msg_key = '%s' AND number = %d",
		       c == 'b' ? "b" : "a", c == '2' ? 2 : 1) == 1;
}

/* In one call the first key's never go back, and each message was delivered, or is there. */
static void check_mail(struct stage *s, int rc)
{
	struct mail *mail = s->own;
	char last = '0';

	for (int i = 0; i < mail->n; i++) {
		if (mail->list[i] == 'b')
			continue;
		assert_true(mail->list[i] >= last);
		last = mail->list[i];
	}
	for (const char *c = "12b"; *c; c++)
		assert_true(memchr(mail->list, *c, (size_t)mail->n) || is_waiting(s, *c));
	if (rc == DBLOCK_OK && !mail->enough &&
	    raw_int(s->raw, "SELECT count(*) FROM dblock_outbox_failure") == 0)
		assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox"), 0);
}

/* Whatever is left is delivered by another relay, once the shards come free. */
static void check_rest(struct stage *s, int rc)
{
	struct mail rest = {.n = 0};
	struct dblock_error err = {0};

	check_mail(s, rc);
	strike_let_go(s->strike);
	dblock_close(s->client, NULL);
	s->client = NULL;
	raw_exec(s->raw, "DELETE FROM dblock_outbox_failure");
	expect(OK, drain_by(s->calm, &rest, &err));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_outbox"), 0);
}

PLAY(drain, .prepare = with_mail, .call = call_drain, .check = check_rest, .clear = without_mail,
     .least = 8, .large = true, .may = {FAILURES})

PLAY(drain_what_fails, .prepare = with_bad_mail, .call = call_drain, .check = check_rest,
     .clear = without_mail, .least = 8, .large = true, .may = {FAILURES})

PLAY(relay, .prepare = with_mail, .call = call_relay, .check = check_rest, .clear = without_mail,
     .least = 10, .large = true, .may = {DBLOCK_CANCELED, FAILURES})

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(drain),
		SCENE(drain_what_fails),
		SCENE(relay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
