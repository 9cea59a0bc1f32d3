/* SPDX-License-Identifier: MIT */
/* A set is read with its first request for memory refused, with its second, ...: each time the call
 * says so, and the set can be read once there is memory again. (The sanitizers tell whether all is
 * freed.) */
#include "set_kit.h"

/* By the linker (--wrap) these are in the place of what src/base/mem.c calls (see
 * tests/CMakeLists.txt). */
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);

static struct {
	int countdown; /* counts down to the request that is refused; 0: none is */
	bool lasts;    /* and all after it are refused */
	int refused;
} shortage;

static bool is_refused(void)
{
	bool now = shortage.countdown == 1;

	if (shortage.countdown > 0 && !(now && shortage.lasts))
		shortage.countdown--;
	shortage.refused += now;
	return now;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return is_refused() ? NULL : __real_realloc(p, size);
}

static void shortage_begin(int n, bool lasts)
{
	shortage.refused = 0;
	shortage.lasts = lasts;
	shortage.countdown = n;
}

/* Returns how many requests were refused. */
static int shortage_end(void)
{
	shortage.countdown = 0;
	return shortage.refused;
}

/* Returns whether a request was refused. */
static bool is_short(const struct dblock_migrate_options *which, int n, bool lasts)
{
	struct dblock_error err = {0};
	int rc, refused;

	shortage_begin(n, lasts);
	rc = dbl_set_read(&kit_set, which, &kit_sqlite, &err);
	refused = shortage_end();
	if (refused) {
		assert_int_equal(rc, DBLOCK_E_NOMEM);
		assert_int_equal(err.code, DBLOCK_E_NOMEM);
		assert_true(err.message[0]);
		dbl_set_free(&kit_set);
	}
	accepted_at(read_which(which, &kit_sqlite), __FILE__, __LINE__);
	return refused;
}

/* Returns how many requests the call makes. */
static int play(const struct dblock_migrate_options *which)
{
	int n = 1, m = 1;

	while (is_short(which, n, false))
		n++;
	while (is_short(which, m, true))
		m++;
	assert_int_equal(n, m);
	return n - 1;
}

/* The folder has more files than the first piece of memory has room for; and one whose text is
 * copied, because a part of it is left out. */
static void a_folder(void **unused)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	char file[32];

	(void)unused;
	fresh();
	make_folder("sqlite");
	for (int i = 1; i <= 70; i++) {
		snprintf(file, sizeof(file), "sqlite/%d_a.up.sql", i);
		put(file, "BEGIN; SELECT 1; COMMIT;");
	}
	put("sqlite/7_a.down.sql", "SELECT 2;");
	which.dir = kit_dir;
	which.scope = "x";
	assert_true(play(&which) > 70 * 8);
}

static void an_array(void **unused)
{
	static const struct dblock_migration_file files[] = {
		{1, "a", "BEGIN; COMMIT;", 14, "x", 1},
		{2, "b", "", 0, NULL, 0},
	};
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;

	(void)unused;
	which.files = files;
	which.n_files = 2;
	assert_true(play(&which) > 10);
}

static void our_own(void **unused)
{
	static const struct dbl_migration_text own[] = {
		{1, "a", "SELECT 1;", "SELECT 2;", ""},
		{0, NULL, NULL, NULL, NULL},
	};
	struct dbl_dialect dialect = kit_sqlite;
	struct dblock_error err = {0};

	(void)unused;
	dialect.migrations = own;
	for (int n = 1;; n++) {
		int rc;

		shortage_begin(n, false);
		rc = dbl_set_read(&kit_set, NULL, &dialect, &err);
		if (!shortage_end()) {
			assert_int_equal(rc, DBLOCK_OK);
			assert_true(n > 10);
			return;
		}
		assert_int_equal(rc, DBLOCK_E_NOMEM);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder),
		cmocka_unit_test(an_array),
		cmocka_unit_test(our_own),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
