#!/bin/sh
# SPDX-License-Identifier: MIT
# A null pointer that is followed is found.
set -eu
. "${0%/*}/planted"

echo 'int dbl_x(int *p); int dbl_x(int *p) { return p ? *p : 0; }' >src/base/x.c
clean cppcheck
echo 'int dbl_x(void); int dbl_x(void) { int *p = 0; return *p; }' >src/base/x.c
caught cppcheck 'nullPointer'
