/* SPDX-License-Identifier: MIT */
/* Which of several databases is struck. */
#include "support/strike_own.h"

bool strike_is_meant(const struct strike *s, const struct strike_call *call)
{
	if (!s->real_time)
		return true;
	for (unsigned i = 0; i < STRIKE_CONNS && call->conn; i++) {
		if (s->aimed[i] == call->conn)
			return true;
	}
	return !call->conn && strcmp(call->database, s->aim) == 0;
}

static void change_aimed(struct strike *s, const struct dbl_conn *from, const struct dbl_conn *to)
{
	unsigned i = 0;

	while (i < STRIKE_CONNS && s->aimed[i] != from)
		i++;
	if (i < STRIKE_CONNS)
		s->aimed[i] = to;
	else
		assert_non_null(from); /* there is always room */
}

void strike_note_conn(struct strike *s, const char *database, const struct dbl_conn *conn)
{
	pthread_mutex_lock(&s->mutex);
	if (s->real_time && strcmp(database, s->aim) == 0)
		change_aimed(s, NULL, conn);
	pthread_mutex_unlock(&s->mutex);
}

void strike_forget_conn(struct strike *s, const struct dbl_conn *conn)
{
	pthread_mutex_lock(&s->mutex);
	change_aimed(s, conn, NULL);
	pthread_mutex_unlock(&s->mutex);
}

void strike_aim(struct strike *s, const char *database)
{
	pthread_mutex_lock(&s->mutex);
	s->real_time = true;
	snprintf(s->aim, sizeof(s->aim), "%s", database ? database : "");
	pthread_mutex_unlock(&s->mutex);
}
