#!/bin/sh
# SPDX-License-Identifier: MIT
# A public prototype without a comment is found.
set -eu
. "${0%/*}/planted"

printf '/** Does it. */\nDBLOCK_API int dblock_x(void);\n' >include/dblock/x.h
clean documented
printf '/** Does it. */\n\nDBLOCK_API int dblock_x(void);\n' >include/dblock/x.h
caught documented 'include/dblock/x.h:3: no comment'
printf '/** Does it. */\nDBLOCK_API int dblock_x(void);\n' >include/dblock/x.h
printf 'DBLOCK_API int dblock_y(void);\n' >include/dblock/y.h.in
caught documented 'include/dblock/y.h.in:1: no comment'
