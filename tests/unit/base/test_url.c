/* SPDX-License-Identifier: MIT */
/* URLs: their parts, what is refused, and that a password is in no message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/url.h"

/* NULL: the part is not there. */
struct parts {
	const char *text, *scheme, *user, *password, *host, *port, *path, *shown;
};

static const struct parts good[] = {
	{"sqlite:a.db", "sqlite", NULL, NULL, NULL, NULL, "a.db", "sqlite:a.db"},
	{"sqlite:/var/a.db", "sqlite", NULL, NULL, NULL, NULL, "/var/a.db", "sqlite:/var/a.db"},
	{"sqlite:///var/a.db", "sqlite", NULL, NULL, NULL, NULL, "/var/a.db", "sqlite:/var/a.db"},
	{"SQLite:a%20b%25.db", "sqlite", NULL, NULL, NULL, NULL, "a b%.db", "sqlite:a b%.db"},
	{"sqlite:a@b.db", "sqlite", NULL, NULL, NULL, NULL, "a@b.db", "sqlite:a@b.db"},
	{"sqlite:", "sqlite", NULL, NULL, NULL, NULL, NULL, "sqlite:"},
	{"mysql://h/d", "mysql", NULL, NULL, "h", NULL, "d", "mysql://h/d"},
	{"mysql://u@h/d", "mysql", "u", NULL, "h", NULL, "d", "mysql://u@h/d"},
	{"mysql://u:p@h:33/d", "mysql", "u", "p", "h", "33", "d", "mysql://u@h:33/d"},
	{"mysql://u:@h/d", "mysql", "u", "", "h", NULL, "d", "mysql://u@h/d"},
	{"mysql://:p@h/d", "mysql", NULL, "p", "h", NULL, "d", "mysql://h/d"},
	{"mysql://u:a%40b%2Fc%3a@h/d", "mysql", "u", "a@b/c:", "h", NULL, "d", "mysql://u@h/d"},
	{"mysql://u:a@b@h/d", "mysql", "u", "a@b", "h", NULL, "d", "mysql://u@h/d"},
	{"mysql://u:a:b@h/d", "mysql", "u", "a:b", "h", NULL, "d", "mysql://u@h/d"},
	{"mysql://[::1]:33/d", "mysql", NULL, NULL, "::1", "33", "d", "mysql://::1:33/d"},
	{"mysql://[::1]/d", "mysql", NULL, NULL, "::1", NULL, "d", "mysql://::1/d"},
	{"mysql:///d", "mysql", NULL, NULL, NULL, NULL, "d", "mysql:///d"},
	{"mysql://h", "mysql", NULL, NULL, "h", NULL, NULL, "mysql://h/"},
	{"mysql://h:/d", "mysql", NULL, NULL, "h", NULL, "d", "mysql://h/d"},
	{"postgresql://u@a:1,b:2/d", "postgresql", "u", NULL, "a:1,b:2", NULL, "d",
	 "postgresql://u@a:1,b:2/d"},
	{"postgresql://%2Frun%2Fpg/d", "postgresql", NULL, NULL, "/run/pg", NULL, "d",
	 "postgresql:///run/pg/d"},
	{"x+1://h/d", "x+1", NULL, NULL, "h", NULL, "d", "x+1://h/d"},
};

static void same(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_ptr_equal(a, b);
}

static void parts_of_urls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct parts *want = &good[i];
		struct dblock_error err = {0};
		struct dbl_url url;

		if (dbl_url_parse(&url, want->text, &err))
			fail_msg("%s: %s", want->text, err.message);
		same(url.scheme, want->scheme);
		same(url.user, want->user);
		same(url.password, want->password);
		same(url.host, want->host);
		same(url.port, want->port);
		same(url.path, want->path);
		same(url.shown, want->shown);
		same(url.whole, want->text);
		assert_int_equal(url.n_params, 0);
		dbl_url_free(&url);
	}
}

static void parameters(void **state)
{
	static const char *const known[] = {"a", "socket", "e", NULL};
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)state;
	assert_int_equal(dbl_url_parse(&url, "mysql://h/d?a=1&socket=%2Frun%2Fs&&e=&", &err), 0);
	assert_int_equal(url.n_params, 3);
	assert_string_equal(dbl_url_param(&url, "a"), "1");
	assert_string_equal(dbl_url_param(&url, "socket"), "/run/s");
	assert_string_equal(dbl_url_param(&url, "e"), "");
	assert_null(dbl_url_param(&url, "A"));
	assert_int_equal(dbl_url_check_params(&url, known, &err), 0);
	assert_int_equal(dbl_url_check_params(&url, known + 1, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "'a'"));
	assert_non_null(strstr(err.message, "socket"));
	assert_string_equal(url.shown, "mysql://h/d");
	dbl_url_free(&url);
}

static const char *const bad[] = {
	"",
	":",
	"x",
	"//h/d",
	"sqlite://h/a.db",
	"sqlite:a%.db",
	"sqlite:a%4.db",
	"sqlite:a%4g.db",
	"sqlite:a%00.db",
	"mysql://h/d?a",
	"mysql://h/d?a=%",
	"mysql://u%zz@h/d",
	"mysql://u:p/q@h/d",
	"mysql://u:p?q@h/d",
};

/* In each of these a password can stand, and the rest is malformed: no message may have s3cret. */
static const char *const leaky[] = {
	"mysql:root:s3cret@h/d",
	"mysql:/root:s3cret@h/d",
	"postgresql:root:s3cret@h/d",
	"mysql://root:s3cret/d",
	"mysql://root:s3cret",
	"mysql://root:s3cret?x=1",
	"mysql://root:12s3cret:3306/d",
	"mysql://root:s3cret:3306/d",
	"mysql://root:s3cret,h:1/d",
	"postgresql://root:s3cret/d",
	"postgresql://a:1,root:s3cret/d",
	"mysql://[root:s3cret]/d",
	"mysql://root:pa/s3cret@h/d",
	"mysql://root:pa?s3cret@h/d",
	"mysql://root:s3cret%zz@h/d",
	"mysql://root:s3cret@tcp(h:3306)/d",
	"mysql://root:s3cret@unix(/run/s)/d",
	"mysql//root:s3cret@h/d",
	"s3cret@h:3306/d",
	"root s3cret:x",
};

static void no_password_is_told_by_who_reads_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(leaky) / sizeof(leaky[0]); i++) {
		struct dblock_error err = {0};
		struct dbl_url url;

		if (dbl_url_parse(&url, leaky[i], &err) != DBLOCK_E_INVALID)
			fail_msg("'%s' was accepted", leaky[i]);
		if (strstr(err.message, "s3c") || strstr(err.message, "cret"))
			fail_msg("'%s': %s", leaky[i], err.message);
		assert_non_null(strstr(err.message, "URL: "));
		dbl_url_free(&url);
	}
}

static void what_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct dblock_error err = {0};
		struct dbl_url url;

		if (dbl_url_parse(&url, bad[i], &err) != DBLOCK_E_INVALID)
			fail_msg("'%s' was accepted", bad[i]);
		assert_non_null(strstr(err.message, "URL"));
		dbl_url_free(&url);
	}
}

static void lists_of_hosts(void **state)
{
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)state;
	assert_int_equal(dbl_url_parse(&url, "mysql://u:p@h1:3306,h2,[::1]:3307/d?a=1", &err), 0);
	assert_int_equal(url.n_hosts, 3);
	same(url.hosts[0].host, "h1");
	same(url.hosts[0].port, "3306");
	same(url.hosts[1].host, "h2");
	same(url.hosts[1].port, NULL);
	same(url.hosts[2].host, "::1");
	same(url.hosts[2].port, "3307");
	same(url.shown, "mysql://u@h1:3306,h2,[::1]:3307/d");
	same(url.port, NULL);
	dbl_url_free(&url);
	/* libpq has a meaning for these. */
	assert_int_equal(dbl_url_parse(&url, "postgresql://,h2:5433,/d", &err), 0);
	same(url.host, ",h2:5433,");
	dbl_url_free(&url);
}

/* What is wrong, and where. */
static void bad_lists(void **state)
{
	static const struct {
		const char *text, *what, *where;
	} lists[] = {
		{"mysql://,h2/d", "the name of a host is empty", "host 1 of the list"},
		{"mysql://h1,,h2/d", "the name of a host is empty", "host 2 of the list"},
		{"mysql://h1,/d", "the name of a host is empty", "host 2 of the list"},
		{"mysql://h1,:3306/d", "the name of a host is empty", "host 2 of the list"},
		{"mysql://u:p@h1,h2:x/d", "no port from 1 to 65535", "host 2 of the list"},
		{"mysql://h1:0,h2/d", "no port from 1 to 65535", "host 1 of the list"},
		{"mysql://h1,h2,h3:65536/d", "no port from 1 to 65535", "host 3 of the list"},
		{"mysql://h1,[::1/d", "has no ]", "host 2 of the list"},
		{"mysql://[::1]x,h2/d", "no IPv6 address", "host 1 of the list"},
		{"postgresql://h1,h2:x/d", "no port from 1 to 65535", "host 2 of the list"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct dblock_error err = {0};
		struct dbl_url url;

		if (dbl_url_parse(&url, lists[i].text, &err) != DBLOCK_E_INVALID)
			fail_msg("'%s' was accepted", lists[i].text);
		if (!strstr(err.message, lists[i].what) || !strstr(err.message, lists[i].where))
			fail_msg("'%s': %s", lists[i].text, err.message);
		dbl_url_free(&url);
	}
}

static void too_many_hosts(void **state)
{
	char text[512] = "mysql://h";
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)state;
	for (int i = 1; i < DBL_URL_HOSTS_MAX; i++)
		strcat(text, ",h");
	assert_int_equal(dbl_url_parse(&url, text, &err), 0);
	assert_int_equal(url.n_hosts, DBL_URL_HOSTS_MAX);
	dbl_url_free(&url);
	strcat(text, ",h");
	assert_int_equal(dbl_url_parse(&url, text, &err), DBLOCK_E_INVALID);
	assert_non_null(strstr(err.message, "host 33 of the list"));
	dbl_url_free(&url);
}

static void too_many_parameters(void **state)
{
	char text[512] = "mysql://h/d?";
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)state;
	for (int i = 0; i < DBL_URL_PARAMS_MAX; i++)
		strcat(text, "k=v&");
	assert_int_equal(dbl_url_parse(&url, text, &err), 0);
	dbl_url_free(&url);
	strcat(text, "k=v");
	assert_int_equal(dbl_url_parse(&url, text, &err), DBLOCK_E_INVALID);
	dbl_url_free(&url);
}

/* A password is hidden wherever somebody else's message repeats it, raw or decoded. */
static void passwords_are_hidden(void **state)
{
	struct dblock_error err = {0};
	struct dbl_url url;

	(void)state;
	assert_int_equal(dbl_url_parse(&url, "mysql://u:s%40cret@h/d?password=other", &err), 0);
	assert_null(strstr(url.shown, "cret"));
	assert_null(strstr(url.shown, "other"));
	dbl_fail(&err, DBLOCK_E_DENIED,
		 "no: mysql://u:s%%40cret@h, u:s@cret@h?password=other, others cret");
	dbl_url_hide(&url, &err);
	assert_string_equal(err.message, "no: mysql://u:***@h, u:***@h?password=***, others cret");
	dbl_url_free(&url);

	assert_int_equal(dbl_url_parse(&url, "mysql://u:@h/d", &err), 0);
	dbl_fail(&err, DBLOCK_E_DENIED, "as it is");
	dbl_url_hide(&url, &err);
	assert_string_equal(err.message, "as it is");
	dbl_url_free(&url);
}

/* Naive: the text is found within a longer key, or a value. */
static void one_parameter_is_taken_out(void **state)
{
	static const char *const cases[][2] = {
		{"postgresql://u:p%3F@h/d?pool=session", "postgresql://u:p%3F@h/d"},
		{"postgresql://h/d?pool=a&x=1", "postgresql://h/d?x=1"},
		{"postgresql://h/d?x=1&pool=a&y=pool=b", "postgresql://h/d?x=1&y=pool=b"},
		{"postgresql://h/d?pool=a&pool=b&spool=c", "postgresql://h/d?spool=c"},
		{"postgresql://h/pool=d?pools=1", "postgresql://h/pool=d?pools=1"},
		{"postgresql://h/d", "postgresql://h/d"},
	};
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dbl_url url;

		assert_int_equal(dbl_url_parse(&url, cases[i][0], &err), 0);
		assert_int_equal(dbl_url_take(&url, "pool", &err), 0);
		assert_string_equal(url.whole, cases[i][1]);
		dbl_url_free(&url);
	}
}

/* Naive: the text between the first '@' and the next '/' is replaced, or a parameter still leads to
 * the old host. */
static void other_hosts_are_put_in(void **state)
{
	static const char *const cases[][3] = {
		{"postgresql://u:p%40@pool:6432/d?x=1", "db1:5432",
		 "postgresql://u:p%40@db1:5432/d?x=1"},
		{"postgresql://u@x@pool/d", "db1", "postgresql://u@x@db1/d"},
		{"postgresql://pool", "db1:1,[::1]:2", "postgresql://db1:1,[::1]:2"},
		{"postgresql://pool?x=a/b", "db1", "postgresql://db1?x=a/b"},
		{"postgresql:///d?host=pool&port=6432&hostaddr=::1&y=2", "db1",
		 "postgresql://db1/d?y=2"},
		{"postgresql://u@pool/d", "/run/pg", "postgresql://u@%2Frun%2Fpg/d"},
		{"postgresql://u@pool/d", "a?b", "postgresql://u@a%3Fb/d"},
	};
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dbl_url of, url;

		assert_int_equal(dbl_url_parse(&of, cases[i][0], &err), 0);
		assert_int_equal(dbl_url_elsewhere(&url, &of, cases[i][1], &err), 0);
		assert_string_equal(url.whole, cases[i][2]);
		assert_null(strstr(url.shown, "p%40"));
		dbl_url_free(&of);
		dbl_url_free(&url);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_urls),
		cmocka_unit_test(parameters),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(too_many_parameters),
		cmocka_unit_test(lists_of_hosts),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(too_many_hosts),
		cmocka_unit_test(passwords_are_hidden),
		cmocka_unit_test(no_password_is_told_by_who_reads_it),
		cmocka_unit_test(one_parameter_is_taken_out),
		cmocka_unit_test(other_hosts_are_put_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
