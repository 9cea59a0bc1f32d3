#!/bin/sh
# SPDX-License-Identifier: MIT
# A function of 61 lines and a file of 351 are found; 60 and 350 are not.
set -eu
. "${0%/*}/planted"

# function LINES: prints a function of so many lines.
function_of()
{
	printf 'static int dbl_x(void)\n{\n'
	yes '	;' | head -n $(($1 - 3))
	printf '}\n'
}

function_of 60 >src/base/x.c
yes '/* */' | head -n 350 >src/base/y.h
clean budgets
function_of 61 >src/base/x.c
caught budgets 'src/base/x.c:1: dbl_x() has 61 lines'
function_of 60 >src/base/x.c
yes '/* */' | head -n 351 >src/base/y.h
caught budgets 'src/base/y.h:351: has 351 lines'
rm src/base/y.h
function_of 61 >src/base/x.cpp
caught budgets 'src/base/x.cpp:1: dbl_x() has 61 lines'
rm src/base/x.cpp
yes '/* */' | head -n 351 >src/base/y.hpp
caught budgets 'src/base/y.hpp:351: has 351 lines'
