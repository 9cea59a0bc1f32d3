#!/bin/sh
# SPDX-License-Identifier: MIT
# A floor that reaches for the clock, the heap or a database, or keeps mutable globals, is found.
set -eu
. "${0%/*}/planted"

objects=build/src/CMakeFiles
mkdir -p $objects/dbl_base.dir/base $objects/dbl_lock.dir/lock

# object FLOOR SOURCE [NAME]
object()
{
	echo "$2" | cc -x c -fPIC -O0 -c -o "$objects/dbl_$1.dir/$1/${3-x}.c.o" -
}

library()
{
	echo "$1" | cc -x c -fPIC -shared -o build/src/libdblock.so -
}

# planted SOURCE TEXT: the check finds SOURCE in an object of the floor lock.
planted()
{
	object lock "$1"
	caught symbols "x.c.o: $2"
}

good='int snprintf(char *, unsigned long, const char *, ...); static const char *const t[] = {"a", "b"};
	int dbl_x(int i); int dbl_x(int i) { return snprintf(0, 0, "%s", t[i]); }'

caught symbols 'no objects of a build to look at'
object base 'void *malloc(unsigned long); void *dbl_alloc(void) { return malloc(1); }'
object lock "$good"
mkdir -p build/include/dblock
printf 'DBLOCK_API int dblock_x(void);\n' >include/dblock/x.h
library 'int dblock_x(void) { return 1; }'
clean symbols

planted 'long time(long *); long dbl_x(void) { return time(0); }' 'names time: only base'
mkdir -p src/lock
echo 'int64_t t = dbl_clock_read(CLOCK_BOOTTIME);' >src/lock/x.c
caught symbols 'src/lock/x.c:1:int64_t t = dbl_clock_read(CLOCK_BOOTTIME);: only base and driver may'
rm src/lock/x.c
planted 'void *malloc(unsigned long); void *dbl_x(void) { return malloc(1); }' 'names malloc'
planted 'void *sqlite3_errmsg(void *); void *dbl_x(void) { return sqlite3_errmsg(0); }' \
	'names sqlite3_errmsg'
planted 'void PQfinish(void *); void dbl_x(void) { PQfinish(0); }' 'names PQfinish'
planted 'int mysql_ping(void *); int dbl_x(void) { return mysql_ping(0); }' 'names mysql_ping'
planted 'void SHA256Init(void *); void dbl_x(void) { SHA256Init(0); }' 'names SHA256Init'
planted 'int puts(const char *); int dbl_x(void) { return puts("x"); }' \
	'names puts: the library never prints or exits'
planted 'void exit(int); void dbl_x(void) { exit(1); }' 'names exit: the library never prints'
planted 'void abort(void); void dbl_x(void) { abort(); }' 'names abort: the library never prints'
object lock "$good"
object base 'void abort(void); void dbl_y(void) { abort(); }' assert
clean symbols
object lock 'void abort(void); void dbl_x(void) { abort(); }' assert
caught symbols 'assert.c.o: names abort'
rm $objects/dbl_lock.dir/lock/assert.c.o
planted 'static int count = 1; int dbl_x(void) { return count++; }' \
	'count is a mutable global (in .data)'
planted 'static int count; int dbl_x(void) { return count++; }' \
	'count is a mutable global (in .bss)'
planted 'static int once_more; int dbl_x(void) { return once_more++; }' \
	'once_more is a mutable global (in .bss)'
planted 'static __thread int count; int dbl_x(void) { return count++; }' \
	'count is a mutable global (in .tbss)'
planted 'int helper(void) { return 1; }' 'helper is global but begins with neither'
object lock "$good"
library 'int dblock_x(void) { return 1; } int dbl_y(void) { return 1; }'
caught symbols 'libdblock.so: exports dbl_y, which no header declares'
library 'int dbl_z(void) { return 1; }'
caught symbols 'libdblock.so: does not export dblock_x'
