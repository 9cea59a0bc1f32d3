/* SPDX-License-Identifier: MIT */
/* Making and reading values. */
#ifndef DBL_DRIVER_VALUE_H
#define DBL_DRIVER_VALUE_H

#include <string.h>

#include "driver/driver.h"

static inline struct dbl_value dbl_null(void)
{
	return (struct dbl_value){.type = DBL_NULL};
}

static inline struct dbl_value dbl_int(int64_t i)
{
	return (struct dbl_value){.type = DBL_INT, .i = i};
}

/* NULL becomes DBL_NULL. */
static inline struct dbl_value dbl_text(const char *text)
{
	return text ? (struct dbl_value){.type = DBL_TEXT, .text = text, .len = strlen(text)}
		    : dbl_null();
}

#endif
