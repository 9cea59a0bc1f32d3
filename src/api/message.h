/* SPDX-License-Identifier: MIT */
/* What entry points check of what messages are found by. Inside src/api. */
#ifndef DBL_API_MESSAGE_H
#define DBL_API_MESSAGE_H

#include <dblock/outbox.h>

int dbl_topic_check(const char *topic, struct dblock_error *err);
int dbl_message_key_check(const char *key, struct dblock_error *err);
int dbl_message_number_check(int64_t number, struct dblock_error *err);

#endif
