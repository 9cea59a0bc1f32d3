/* SPDX-License-Identifier: MIT */
/* Names: compared byte for byte on every database; what would garble a listing is refused. */
#include "support/by_token.h"

/* Pairs that some collation or normal form takes for the same. */
static const char *const different[][2] = {
	{"x", "X"},
	{"straße", "strasse"},
	{"straße", "STRASSE"},
	{"e", "é"},
	{"x", "x "},
	{"x", " x"},
	{"a b", "a\xc2\xa0"
		"b"},                             /* no-break space */
	{"\xc3\xa9", "e\xcc\x81"},                /* é: NFC, NFD */
	{"\xef\xac\x81", "fi"},                   /* ligature */
	{"\xef\xbc\xa1", "A"},                    /* full width */
	{"\xce\xa3", "\xcf\x83"},                 /* sigma, large and small */
	{"\xcf\x83", "\xcf\x82"},                 /* ... and final */
	{"i", "\xc4\xb1"},                        /* dotless i */
	{"x", "x\xe2\x80\x8b"},                   /* zero width space */
	{"\xf0\x9f\x94\x92", "\xf0\x9f\x94\x93"}, /* closed and open lock */
	{"1", "01"},
	{"1", "1.0"},
	{"null", "NULL"},
};

static void different_bytes_are_different_locks(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);

	(void)state;
	for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++) {
		struct dblock_lock *one = take(a, different[i][0]);
		struct dblock_lock *two = take(b, different[i][1]);

		busy(b, different[i][0]);
		busy(a, different[i][1]);
		assert_string_equal(dblock_name(one), different[i][0]);
		assert_string_equal(show(a, different[i][1]).name, different[i][1]);
		assert_int_equal(show(a, different[i][1]).h.token, dblock_token(two));
		give(one);
		busy(a, different[i][1]);
		give(two);
	}
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static const char *const hostile[] = {
	"'; DROP TABLE dblock_lock; --",
	"\" OR \"\"=\"",
	"`rm -rf`",
	"%",
	"_",
	"%s%s%n",
	"\\",
	"\\'",
	"\\\\",
	"$1",
	"?",
	"*",
	"{now}",
	"--",
	"/* x */",
	"dblock_lock",
	"\xf0\x9f\x94\x92\xf0\x9f\x98\x80",
	"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
	"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
	"\xf4\x8f\xbf\xbf", /* U+10FFFF */
	" ",
	"N'x'",
	"x'41'",
	"E'\\\\'",
};

static int count_it(void *arg, const struct dblock_holder *holder)
{
	(void)holder;
	++*(int *)arg;
	return 0;
}

static void through_and_through(struct dblock_client *a, struct dblock_client *b, const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct shown shown;

	options.value = name;
	options.lease_ms = 600000;
	expect(OK, dblock_acquire(a, name, &options, &lock, &err));
	busy(b, name);
	shown = show(b, name);
	assert_string_equal(shown.name, name);
	assert_string_equal(shown.value, name);
	expect(OK, dblock_extend(lock, 600000, &err));
	expect(OK, dblock_extend_token(b, name, dblock_token(lock), 600000, &err));
	release_by_token(b, name, lock);
	take(a, name);
	expect(OK, break_by_force(b, name, 0, 0, &err));
	is_free(b, name);
}

static void hostile_names_are_only_names(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_list_options options = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_error err = {0};
	int before = 0, after = 0;

	(void)state;
	options.free_too = 1;
	expect(OK, dblock_list(a, &options, count_it, &before, &err));
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
		through_and_through(a, b, hostile[i]);
	expect(OK, dblock_list(a, &options, count_it, &after, &err));
	assert_int_equal(after - before, (int)(sizeof(hostile) / sizeof(hostile[0])));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void the_longest(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	char name[256], four[256] = "abc";

	(void)state;
	memset(name, 'n', 255);
	name[255] = '\0';
	through_and_through(a, b, name);
	for (int i = 0; i < 63; i++)
		strcat(four, "\xf0\x9f\x94\x92");
	assert_int_equal(strlen(four), 255);
	through_and_through(a, b, four);
	/* They differ in the last byte only. */
	name[254] = 'm';
	take(a, name);
	name[254] = 'n';
	is_free(b, name);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- what is no name ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *why;
} bad[] = {
	{NULL, "NULL"},
	{"", "empty"},
	{"a\nb", "control character"},
	{"\t", "control character"},
	{"\x01", "control character"},
	{"x\x7f", "control character"},
	{"x\xc2\x85", "control character"}, /* U+0085, C1 */
	{"\xff", "not UTF-8"},
	{"x\x80", "not UTF-8"}, /* begins with a continuation */
	{"x\xc3", "not UTF-8"}, /* cut short */
	{"x\xe2\x82", "not UTF-8"},
	{"\xf0\x9f\x94", "not UTF-8"},
	{"\xc0\xaf", "not UTF-8"}, /* "/", overlong */
	{"\xc1\xbf", "not UTF-8"},
	{"\xe0\x80\xaf", "not UTF-8"},
	{"\xf0\x80\x80\xaf", "not UTF-8"},
	{"\xed\xa0\x80", "not UTF-8"}, /* half a surrogate pair */
	{"\xed\xbf\xbf", "not UTF-8"},
	{"\xf4\x90\x80\x80", "not UTF-8"}, /* above U+10FFFF */
	{"\xf8\x88\x80\x80\x80", "not UTF-8"},
	{"caf\xe9", "not UTF-8"}, /* Latin-1 */
};

static int never_called(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	(void)holder;
	return 1;
}

/* Every entry point that takes a name refuses it alike. */
static void is_no_name(struct dblock_client *c, const char *name, const char *why)
{
	struct dblock_lock *none;
	struct dblock_error err = {0};

	expect(E_INVALID, dblock_try(c, name, NULL, &none, &err));
	assert_null(none);
	message_has("name");
	message_has(why);
	expect(E_INVALID, dblock_acquire(c, name, NULL, &none, &err));
	message_has(why);
	expect(E_INVALID, dblock_release_token(c, name, 1, &err));
	message_has(why);
	expect(E_INVALID, dblock_extend_token(c, name, 1, 1000, &err));
	message_has(why);
	expect(E_INVALID, dblock_show(c, name, never_called, NULL, &err));
	message_has(why);
	expect(E_INVALID, break_by_force(c, name, 0, 0, &err));
	message_has(why);
}

static void what_is_no_name(void **state)
{
	struct dblock_client *client = client_new(0);
	char name[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_no_name(client, bad[i].name, bad[i].why);
	memset(name, 'n', sizeof(name));
	name[256] = '\0';
	is_no_name(client, name, "256 bytes");
	dblock_close(client, NULL);
}

/* Nothing of a refused call is left: not even a row. */
static void a_refused_name_leaves_nothing(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_list_options options = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_error err = {0};
	int before = 0, after = 0;

	(void)state;
	options.free_too = 1;
	expect(OK, dblock_list(client, &options, count_it, &before, &err));
	is_no_name(client, "a\nb", "control");
	expect(OK, dblock_list(client, &options, count_it, &after, &err));
	assert_int_equal(before, after);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(different_bytes_are_different_locks),
		cmocka_unit_test(hostile_names_are_only_names),
		cmocka_unit_test(the_longest),
		cmocka_unit_test(what_is_no_name),
		cmocka_unit_test(a_refused_name_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
