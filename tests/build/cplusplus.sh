#!/bin/sh
# SPDX-License-Identifier: MIT
# A C++ program uses each initialiser as C++11 and C++17, without a warning, and links. No function has the
# name of a struct or an enum: it would hide that in C++.
set -eu
cd "$DBLOCK_TEST_TMP"
include=$DBLOCK_SOURCE_DIR/include
export LD_LIBRARY_PATH="$DBLOCK_BUILD_DIR/src"

# type MACRO: prints whose initialiser that is, as its sizeof says.
type()
{
	awk -v macro="$1" '$1 == "#define" && $2 == macro { in_it = 1 }
		in_it && match($0, /sizeof\(struct [a-z_]+\)/) {
			print substr($0, RSTART + 7, RLENGTH - 8)
			exit
		}' "$include"/dblock/*.h
}

functions=$(sed -nE 's/^DBLOCK_API .*[ *](dblock_[a-z_]+)\(.*/\1/p' "$include"/dblock/*.h)
for name in $functions; do
	kind=$(sed -nE "s/^(struct|enum) $name \{\$/\1/p" "$include"/dblock/*.h)
	[ -z "$kind" ] || {
		echo "cplusplus: $name is a function and the name of a type: $kind" >&2
		exit 1
	}
done

{
	for header in "$include"/dblock/*.h; do
		echo "#include <dblock/${header##*/}>"
	done
	echo '#include <stdio.h>'
	echo 'int main() {'
	sed -nE 's/^#define (DBLOCK_[A-Z_]+_INIT).*/\1/p' "$include"/dblock/*.h | while read -r macro; do
		echo "{ $(type "$macro") o = $macro; if (o.size != sizeof(o)) return 1; }"
	done
	echo 'dblock_value v = dblock_text("x"); if (v.len != 1) return 3;'
	echo 'puts(dblock_version()); return 0; }'
} >all.cc

for standard in c++11 c++17; do
	for compiler in clang g++; do
		command -v $compiler >/dev/null || continue
		$compiler -x c++ -std=$standard -Wall -Wextra -Wshadow -pedantic -Werror -c all.cc -o all.o \
			-I "$include" -I "$DBLOCK_BUILD_DIR/include"
		cc -o all all.o -L "$DBLOCK_BUILD_DIR/src" -ldblock
		./all >version
	done
done
[ -s version ]
