/* SPDX-License-Identifier: MIT */
/* The statements of a script, found one by one, wherever one goes: on, back a little, to the first. */
#include "base/mem.h"
#include "base/str.h"
#include "migrate/set/pieces.h"

#include "set_kit.h"

enum { N = 5000 };

static const struct dbl_target kit_target = {.dialect = &kit_sqlite};

/* What is left out stands where it can be mistaken for what is not. */
static struct dbl_pieces *open_pieces(void)
{
	struct dbl_str text = {0};
	struct dbl_pieces *pieces;

	dbl_str_add(&text, "PRAGMA foreign_keys = OFF;\nBEGIN;\n");
	for (int k = 2; k <= N; k++)
		dbl_str_addf(&text, "SELECT %d;\n", k);
	dbl_str_add(&text, "COMMIT;\nPRAGMA foreign_keys = ON;\n");
	assert_int_equal(read_text(text.text, &kit_sqlite), 0);
	dbl_str_free(&text);
	assert_int_equal(dbl_pieces_open(&pieces, &kit_set.files[0].up, false, &kit_target, NULL),
			 0);
	assert_int_equal(pieces->n, N);
	return pieces;
}

static void is_statement(struct dbl_pieces *pieces, unsigned k)
{
	char sql[40] = "PRAGMA foreign_keys = OFF";

	if (k > 1)
		snprintf(sql, sizeof(sql), "SELECT %u", k);
	assert_string_equal(dbl_piece_sql(pieces, k), sql);
	assert_int_equal(dbl_piece(pieces, k)->line, k == 1 ? 1 : k + 1);
}

static void wherever_one_goes(void **unused)
{
	static const unsigned at[] = {1,
				      2,
				      DBL_PIECES_KEPT,
				      2 * DBL_PIECES_KEPT,
				      DBL_PIECES_KEPT + 1,
				      DBL_PIECES_KEPT,
				      N,
				      N - DBL_PIECES_KEPT + 1,
				      N - DBL_PIECES_KEPT,
				      1,
				      N};
	struct dbl_pieces *pieces = open_pieces();

	(void)unused;
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		is_statement(pieces, at[i]);
	for (unsigned k = 1; k <= N; k++)
		is_statement(pieces, k);
	dbl_pieces_free(pieces);
}

/* Each statement is read once, though one looks ahead and goes back: passing over a thousand, again and
 * again, is not to begin at the first. */
static void a_little_back_costs_nothing(void **unused)
{
	struct dbl_pieces *pieces = open_pieces();

	(void)unused;
	for (unsigned k = 1; k + DBL_PIECES_KEPT <= N; k++) {
		dbl_piece(pieces, k + DBL_PIECES_KEPT - 1);
		dbl_piece(pieces, k);
		assert_int_equal(pieces->last, k + DBL_PIECES_KEPT - 1);
	}
	dbl_pieces_free(pieces);
}

static void same_statement(const struct dbl_statement *a, const struct dbl_statement *b)
{
	assert_ptr_equal(a->text, b->text);
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->col, b->col);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->session, b->session);
	assert_int_equal(a->head, b->head);
	assert_int_equal(a->data, b->data);
	assert_int_equal(a->data_len, b->data_len);
}

/* Numbers of one, two and three bytes; each kind; a COPY with its data, and one without. */
static void the_index_says_what_the_splitter_says(void **unused)
{
	static const struct dbl_target target = {.dialect = &kit_postgresql};
	struct dbl_str text = {0};
	const struct dbl_script *up;
	struct dbl_pieces *pieces;
	struct dbl_statement st;
	struct dbl_split split;

	(void)unused;
	dbl_str_add(&text, "-- no-transaction\nSELECT 1; SET a = 1;");
	dbl_str_addf(&text, "%200s\n\n\nCREATE TEMP TABLE t (a int);\n", "VACUUM;");
	dbl_str_addf(&text, "/*%40000s*/ SELECT '%300s';\n", "", "");
	dbl_str_addf(&text, "COPY t FROM stdin; -- x\n%500s\n\\.\nCOPY t FROM stdin;\n\\.\n", "1");
	dbl_str_add(&text, "PREPARE p AS SELECT 1;");
	assert_int_equal(read_text(text.text, &kit_postgresql), 0);
	up = &kit_set.files[0].up;
	assert_int_equal(dbl_pieces_open(&pieces, up, false, &target, NULL), 0);
	dbl_split_again(&split, "postgresql", "", &up->text);
	for (unsigned k = 1; k <= pieces->n; k++) {
		assert_int_equal(dbl_split_next(&split, &st, NULL), 0);
		same_statement(dbl_piece(pieces, k), &st);
	}
	assert_int_equal(dbl_split_next(&split, &st, NULL), 0);
	assert_null(st.text);
	assert_int_equal(pieces->n, 8);
	dbl_pieces_free(pieces);
	dbl_str_free(&text);
}

static void sums(void **unused)
{
	struct dbl_pieces *pieces = open_pieces();
	char sum[DBL_SHA256_HEX + 1], hex[DBL_SHA256_HEX + 1] = "", text[100];

	(void)unused;
	for (unsigned k = 1; k <= 3000; k++) {
		snprintf(text, sizeof(text), "%s%s", hex, dbl_piece_sql(pieces, k));
		dbl_sha256_hex(text, strlen(text), hex);
	}
	dbl_pieces_sum(pieces, 3000, sum);
	assert_string_equal(sum, hex);
	dbl_pieces_sum(pieces, 1000, sum);
	assert_string_not_equal(sum, hex);
	dbl_pieces_sum_on(pieces, 1000, 3000, sum);
	assert_string_equal(sum, hex);
	dbl_pieces_sum(pieces, 0, sum);
	assert_string_equal(sum, "");
	dbl_pieces_free(pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wherever_one_goes),
		cmocka_unit_test(a_little_back_costs_nothing),
		cmocka_unit_test(the_index_says_what_the_splitter_says),
		cmocka_unit_test(sums),
	};

	return cmocka_run_group_tests(tests, NULL, kit_tear_down);
}
