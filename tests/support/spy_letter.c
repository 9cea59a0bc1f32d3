/* SPDX-License-Identifier: MIT */
/* Requests that are on their way for long, and arrive when the test says so. */
#include "support/spy_own.h"

#include "driver/driver.h"

void spy_letter_clear(struct spy_letter *letter)
{
	for (unsigned i = 0; i < letter->n; i++)
		free((void *)(uintptr_t)letter->args[i].text);
	free(letter->sql);
	*letter = (struct spy_letter){.n = 0};
}

void spy_letter_keep(struct spy *spy, const char *sql, const struct dbl_value *args, unsigned n)
{
	pthread_mutex_lock(&spy->mutex);
	spy_letter_clear(&spy->letter);
	spy->letter.sql = strdup(sql);
	spy->letter.n = n;
	for (unsigned i = 0; i < n; i++) {
		spy->letter.args[i] = args[i];
		spy->letter.args[i].text =
			args[i].type == DBL_TEXT ? strndup(args[i].text, args[i].len) : NULL;
	}
	pthread_mutex_unlock(&spy->mutex);
}

static struct dbl_conn *deliver(struct spy *spy, bool within, int64_t *changed)
{
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	struct dbl_stmt *stmt;
	struct dbl_url url;

	assert_non_null(spy->letter.sql);
	expect(OK, dbl_url_parse(&url, test_url(), &err));
	expect(OK, spy->real->open(&conn, &url, &spy->env, dbl_now(&spy->env) + dbl_ms(PLENTY_MS),
				   &err));
	if (within)
		expect(OK, spy->real->exec(conn, "BEGIN", &err));
	expect(OK, spy->real->prepare(conn, spy->letter.sql, &stmt, &err));
	expect(OK, spy->real->run(stmt, spy->letter.args, spy->letter.n, changed, &err));
	dbl_url_free(&url);
	spy_letter_clear(&spy->letter);
	return conn;
}

int64_t spy_deliver(struct spy *spy)
{
	int64_t changed = -1;

	spy->real->close(deliver(spy, false, &changed));
	return changed;
}

struct dbl_conn *spy_deliver_within(struct spy *spy)
{
	int64_t changed = -1;
	struct dbl_conn *conn = deliver(spy, true, &changed);

	assert_int_equal(changed, 1);
	return conn;
}
