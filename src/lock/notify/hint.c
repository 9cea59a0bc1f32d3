/* SPDX-License-Identifier: MIT */
/* Hints that a holder's process on this machine may have ended. Who listens at the socket gets them. */
#include "base/alarm.h"
#include "base/mark.h"
#include "lock/notify/own.h"

void dbl_hint_all(struct dbl_locks *locks)
{
	dbl_lock(&locks->mutex);
	for (struct dbl_waiter *w = locks->notifier->waiting; w; w = w->next) {
		w->hinted = true;
		dbl_waiter_wake(locks, w);
	}
	dbl_unlock(&locks->mutex);
}

bool dbl_notifier_take_hint(struct dbl_locks *locks, struct dbl_waiter *waiter)
{
	bool hinted;

	dbl_lock(&locks->mutex);
	hinted = waiter->hinted;
	waiter->hinted = false;
	dbl_unlock(&locks->mutex);
	return hinted;
}

/* Under the mutex: what watches marks, opened where need be; not above 0: it is not to be had (a descriptor is above 2). */
static int have_marks(struct dbl_locks *locks)
{
	struct dbl_notifier *notifier = locks->notifier;
	struct dbl_socket *socket = dbl_have_socket(locks);

	if (notifier->marks_tried || !socket)
		return notifier->marks;
	notifier->marks_tried = true;
	notifier->marks = dbl_mark_watch_new();
	if (notifier->marks > 0)
		dbl_socket_beside(socket, notifier->marks);
	return notifier->marks;
}

bool dbl_notifier_watch(struct dbl_locks *locks, const char *mark)
{
	int marks;

	dbl_lock(&locks->mutex);
	marks = have_marks(locks);
	dbl_unlock(&locks->mutex);
	return marks > 0 && dbl_mark_watch(marks, mark);
}
