/* SPDX-License-Identifier: MIT */
/* OUT/EXPERIMENT.csv: a row for each measurement, and one for each subject that was left out. */
#ifndef BENCH_CSV_H
#define BENCH_CSV_H

#include <stdio.h>

#include "measure.h"

FILE *bench_csv_open(const char *out, const char *experiment);
void bench_csv_row(FILE *, const struct bench_run *, const struct bench_result *,
		   const char *machine);
void bench_csv_left_out(FILE *, const struct bench_experiment *, const struct bench_subject *,
			const char *why);

#endif
