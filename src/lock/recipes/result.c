/* SPDX-License-Identifier: MIT */
#include "lock/recipes/result.h"

#include <string.h>

#include "base/assert.h"
#include "base/base64.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/utf8.h"

struct dblock_result *dbl_result_new(void)
{
	struct dblock_result *result = dbl_alloc(sizeof(*result));

	if (result)
		atomic_init(&result->shares, 1);
	return result;
}

struct dblock_result *dbl_result_share(struct dblock_result *result)
{
	DBL_ASSERT(result->ready && atomic_load(&result->shares) > 0);
	atomic_fetch_add(&result->shares, 1);
	return result;
}

void dbl_result_drop(struct dblock_result *result)
{
	DBL_ASSERT(!result || atomic_load(&result->shares) > 0);
	if (!result || atomic_fetch_sub(&result->shares, 1) > 1)
		return;
	dbl_free(result->bytes);
	dbl_free(result);
}

int dbl_result_set(struct dblock_result *result, const void *bytes, size_t size,
		   struct dblock_error *err)
{
	char *copy;

	DBL_ASSERT(!result->ready); /* others may be reading it */
	if (size > DBLOCK_RESULT_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the result has %zu bytes; at most %d can be shared: store it "
				"elsewhere, and share where",
				size, DBLOCK_RESULT_MAX);
	copy = dbl_alloc(size + 1);
	if (!copy)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (size > 0)
		memcpy(copy, bytes, size);
	dbl_free(result->bytes);
	result->bytes = copy;
	result->size = size;
	return 0;
}

/* Every database takes UTF-8 without a NUL as a text. */
static bool is_text(const char *bytes, size_t size)
{
	uint32_t character = 0;

	for (size_t at = 0, n; at < size; at += n) {
		n = dbl_utf8_next(bytes + at, size - at, &character);
		if (n == 0 || character == 0)
			return false;
	}
	return true;
}

bool dbl_result_encode(const struct dblock_result *result, bool *coded, struct dbl_value *value,
		       char **own)
{
	*own = NULL;
	*value = (struct dbl_value){
		.type = DBL_TEXT, .text = result->bytes ? result->bytes : "", .len = result->size};
	*coded = !is_text(value->text, result->size);
	if (!*coded)
		return true;
	*own = dbl_alloc(dbl_base64_len(result->size) + 1);
	if (!*own)
		return false;
	dbl_base64_encode(result->bytes, result->size, *own);
	*value = dbl_text(*own);
	return true;
}

struct dblock_result *dbl_result_decode(bool coded, const struct dbl_value *value, bool *garbled)
{
	struct dblock_result *result = dbl_result_new();

	*garbled = false;
	if (!result)
		return NULL;
	result->bytes = dbl_alloc(value->len + 1);
	if (result->bytes && !coded) {
		result->size = value->len;
		memcpy(result->bytes, value->text, value->len);
	} else if (result->bytes) {
		*garbled =
			!dbl_base64_decode(value->text, value->len, result->bytes, &result->size);
	}
	if (result->bytes && !*garbled) {
		result->bytes[result->size] = '\0';
		return result;
	}
	dbl_result_drop(result);
	return NULL;
}
