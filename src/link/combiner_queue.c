/* SPDX-License-Identifier: MIT */
#include "link/combiner_queue.h"

#include "base/event.h"

int dbl_combiner_init(struct dbl_combiner *combiner, const struct dbl_target *target, bool all)
{
	*combiner = (struct dbl_combiner){
		.target = target, .idler = -1, .open = all ? DBL_COMBINER_ALL : DBL_COMBINER_NONE};
	combiner->last = &combiner->first;
	return dbl_mutex_init(&combiner->mutex);
}

void dbl_combiner_fini(struct dbl_combiner *combiner)
{
	dbl_mutex_fini(&combiner->mutex);
}

void dbl_combiner_append(struct dbl_combiner *combiner, struct dbl_sender *sender)
{
	struct dbl_sender **at = sender->urgent ? &combiner->first : combiner->last;

	sender->next = *at;
	sender->in = combiner;
	*at = sender;
	if (combiner->last == at)
		combiner->last = &sender->next;
	combiner->n_waiting += !sender->over;
	dbl_event_set(combiner->idler);
}

void dbl_combiner_take_out(struct dbl_combiner *combiner, struct dbl_sender **at)
{
	struct dbl_sender *sender = *at;

	*at = sender->next;
	if (combiner->last == &sender->next)
		combiner->last = at;
	combiner->n_waiting -= !sender->over;
}

struct dbl_sender **dbl_combiner_find(struct dbl_combiner *combiner,
				      const struct dbl_sender *sender)
{
	struct dbl_sender **at = &combiner->first;

	while (*at && *at != sender)
		at = &(*at)->next;
	return at;
}

bool dbl_combiner_is_its(const struct dbl_combiner *combiner, const struct dbl_sender *sender)
{
	return combiner->open != DBL_COMBINER_NONE &&
	       dbl_batch_other_half(&sender->member) == (combiner->open == DBL_COMBINER_OTHER_HALF);
}

struct dbl_combiner *dbl_combiner_lock(struct dbl_sender *sender)
{
	struct dbl_combiner *combiner;

	while ((combiner = sender->in)) {
		dbl_lock(&combiner->mutex);
		if (sender->in == combiner)
			break;
		dbl_unlock(&combiner->mutex);
	}
	return combiner;
}

bool dbl_combiner_post(struct dbl_combiner *combiner, struct dbl_sender *sender)
{
	bool here;

	dbl_lock(&combiner->mutex);
	here = dbl_combiner_takes(combiner, sender);
	if (here)
		dbl_combiner_append(combiner, sender);
	dbl_unlock(&combiner->mutex);
	return here;
}

bool dbl_combiner_recall(struct dbl_sender *sender)
{
	struct dbl_combiner *combiner = dbl_combiner_lock(sender);
	struct dbl_sender **at;
	bool there;

	if (!combiner)
		return false;
	at = dbl_combiner_find(combiner, sender);
	there = *at != NULL;
	if (there)
		dbl_combiner_take_out(combiner, at);
	dbl_unlock(&combiner->mutex);
	return there;
}

int64_t dbl_combiner_posted_since(struct dbl_combiner *combiner)
{
	const struct dbl_sender *post;
	int64_t since;

	dbl_lock(&combiner->mutex);
	post = *dbl_combiner_first(combiner, true);
	since = post ? post->since : DBL_NEVER;
	dbl_unlock(&combiner->mutex);
	return since;
}

void dbl_combiner_move(struct dbl_combiner *from, struct dbl_combiner *to)
{
	for (struct dbl_sender **at = &from->first; *at;) {
		struct dbl_sender *sender = *at;

		if (dbl_combiner_takes(from, sender)) {
			at = &sender->next;
			continue;
		}
		dbl_combiner_take_out(from, at);
		dbl_combiner_append(to, sender);
	}
}
