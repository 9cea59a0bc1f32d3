#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed copy, moved to another place, serves consumers: by pkg-config and by
# find_package(dblock), shared and static.
set -eu
tmp=$DBLOCK_TEST_TMP
prefix=$tmp/moved
cd "$tmp"

fail()
{
	echo "install_consumer: $*" >&2
	exit 1
}

# runs PROGRAM shared|static: it says the version, and needs the shared library or does not.
runs()
{
	[ "$(LD_LIBRARY_PATH=$prefix/$lib "$1")" = "$version" ] || fail "$1 does not say $version"
	case $2-$(readelf -d "$1") in
	shared-*'[libdblock.so.'* | static-*) ;;
	*) fail "$1 does not need libdblock.so" ;;
	esac
	case $2-$(readelf -d "$1") in
	static-*'[libdblock.so.'*) fail "$1 needs libdblock.so" ;;
	esac
}

cmake --install "$DBLOCK_BUILD_DIR" --prefix "$tmp/installed" >install.log
mv installed moved
for library in moved/lib*/libdblock.so moved/lib/*/libdblock.so; do
	[ ! -e "$library" ] || readelf -d "$library" | grep -q NODELETE ||
		fail "$library goes with dlclose(3), and its threads' code with it"
done
pc=$(cd moved && find . -name dblock.pc)
lib=${pc#./}
lib=${lib%/pkgconfig/dblock.pc}
export PKG_CONFIG_PATH="$prefix/$lib/pkgconfig"
version=$(pkg-config --modversion dblock)

cat >consumer.c <<-END
	#include <dblock/dblock.h>
	#include <stdio.h>

	int main(void)
	{
		puts(dblock_version());
		return 0;
	}
END

# pkg-config. For the static library, a copy of the prefix that has no other.
# shellcheck disable=SC2046 # flags are words
{
	cc -o by_pc consumer.c $(pkg-config --cflags --libs dblock)
	runs ./by_pc shared
	cp -r moved static
	rm static/"$lib"/libdblock.so*
	cc -o by_pc_static consumer.c $(PKG_CONFIG_PATH=static/$lib/pkgconfig \
		pkg-config --static --cflags --libs dblock)
	runs ./by_pc_static static
	if [ -e "$DBLOCK_SOURCE_DIR/examples/hello.c" ]; then
		cc -std=c99 -o hello "$DBLOCK_SOURCE_DIR/examples/hello.c" \
			$(pkg-config --cflags --libs dblock)
	fi
}

# find_package
mkdir project
cat >project/CMakeLists.txt <<-END
	cmake_minimum_required(VERSION 3.22)
	project(consumer LANGUAGES C)
	find_package(dblock $version REQUIRED COMPONENTS static)
	foreach(target dblock dblock_static)
	  add_executable(by_cmake_\${target} ../consumer.c)
	  target_link_libraries(by_cmake_\${target} PRIVATE dblock::\${target})
	endforeach()
END
if ! { cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" &&
	cmake --build project/build; } >cmake.log 2>&1; then
	cat cmake.log >&2
	fail "find_package(dblock) does not serve"
fi
runs project/build/by_cmake_dblock shared
runs project/build/by_cmake_dblock_static static

# These files must be there, too.
for file in include/dblock/dblock.h include/dblock/version.h "$lib/libdblock.a" \
	share/dblock/sql/sqlite/lock share/dblock/sql/mysql/lock/turn.sql share/dblock/sql/templates/mysql \
	share/dblock/migrations/mysql; do
	[ -e "moved/$file" ] || fail "$file was not installed"
done
if grep -rn '[$]wall' moved/share/dblock/sql/mysql moved/share/dblock/sql/postgresql; then
	fail "an installed statement is not as it is sent"
fi

# Each document that a header names is there, and a page for each function, which man can show.
docs=$(grep -ohE 'docs/[a-z0-9_/-]+\.md' moved/include/dblock/*.h | sort -u)
[ -n "$docs" ] || fail "no header names a document"
for doc in $docs README.md examples/hello.c; do
	[ -e "moved/share/doc/dblock/$doc" ] || fail "$doc was not installed"
done
functions=$(sed -nE 's/^DBLOCK_API .*[ *](dblock_[a-z_0-9]+)\(.*/\1/p' moved/include/dblock/*.h)
for page in dblock $functions; do
	page=moved/share/man/man3/$page.3
	[ -e "$page" ] || fail "$page was not installed"
	grep -q '^dblock.* \\- [A-Za-z]' "$page" || fail "$page does not say what it is about"
	if command -v groff >/dev/null; then
		said=$(groff -man -ww -z -Tascii "$page" 2>&1)
		[ -z "$said" ] || fail "$page: $said"
	fi
done

# The program finds its library by itself.
if [ -e "$DBLOCK_BUILD_DIR/src/cli/dblock" ]; then
	moved/bin/dblock version | grep -qF "$version" || fail "the installed program does not run"
fi
