/* SPDX-License-Identifier: MIT */
/* What the commands of `dblock outbox` share. */
#ifndef DBL_CLI_OUTBOX_H
#define DBL_CLI_OUTBOX_H

#include <dblock/outbox.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

/* The options of all of them. */
struct dbl_outbox_options {
	bool drain;
	int64_t tries, pause_ms, pause_max_ms, batch, rate, poll_ms, cmd_timeout_ms;
};

extern const struct dbl_command dbl_command_outbox_run;
extern const struct dbl_command dbl_command_outbox_ls;
extern const struct dbl_command dbl_command_outbox_show;
extern const struct dbl_command dbl_command_outbox_retry;
extern const struct dbl_command dbl_command_outbox_drop;

/* ---- objects: object.c ----------------------------------------------------------------------- */

/* The id is a text: other programs lose the last digits of such a number. token 0: it is left out. */
json_t *dbl_message_json(const struct dblock_message *);
json_t *dbl_failure_json(const struct dblock_outbox_failure *);
json_t *dbl_topic_json(const struct dblock_outbox_topic *);

/* ---- the command that gets the messages: consumer.c ------------------------------------------ */

struct dbl_consumer {
	const struct dbl_cli *cli;
	char *const *command;
	struct dbl_signals *signals;
	int64_t timeout_ms; /* 0: it may take as long as it wants */
	int code;           /* it cannot be started, which has been told: the exit code; else 0 */
};

/* Run it for this message, and wait for it; our signals are passed on to it. Returns as a dblock_deliver_cb. */
int dbl_consume(struct dbl_consumer *, const struct dblock_message *, struct dblock_error *err);

#endif
