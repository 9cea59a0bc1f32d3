#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that clang-format would change is found.
set -eu
. "${0%/*}/planted"

cp "$DBLOCK_SOURCE_DIR/.clang-format" .
printf 'int dbl_x(void)\n{\n\treturn 1;\n}\n' >src/base/x.c
clean format
printf 'int dbl_x(void) {\n  return 1;\n}\n' >src/base/x.c
caught format 'src/base/x.c'
rm src/base/x.c
printf 'int dbl_x()\n{\n\treturn 1;\n}\n' >src/base/x.hpp
clean format
printf 'int dbl_x() {\n  return 1;\n}\n' >src/base/x.hpp
caught format 'src/base/x.hpp'
