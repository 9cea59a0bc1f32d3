/* SPDX-License-Identifier: MIT */
/* Memory by process, so that a killed one leaves nothing and a closed client's leak is seen. */
#ifndef TESTS_SIM_MEMORY_H
#define TESTS_SIM_MEMORY_H

#include "sim/process.h"

void memory_drop(struct memory **all);

#endif
