/* SPDX-License-Identifier: MIT */
/* The subjects whose client library was missing when this was built: each run says so of them. */
#include "bench.h"

#define ALL "uncontended hand-over takeover threads waiters held"
#define ABSENT(file, reason)                                                                       \
	{.name = file, .server = "", .in = ALL, .quick = true, .absent = reason},

static const struct bench_subject subjects[] = {
#include "absent.def"
	{.name = ""}, /* the table's end: it may be empty otherwise */
};

__attribute__((constructor)) static void enter_subjects(void)
{
	bench_enter_subjects(subjects, sizeof(subjects) / sizeof(subjects[0]) - 1);
}
