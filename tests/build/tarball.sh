#!/bin/sh
# SPDX-License-Identifier: MIT
# The tarball is the same, to the byte, of two clones that differ in all that could show; what is in it builds
# without git, with what CMake takes by itself and with Ninja, is installed into a DESTDIR, and serves a
# program by pkg-config and by find_package(). Two builds in two folders make the same library. (Not optimized,
# as nothing of a folder comes in by that, and nothing is taken from what a compiler kept.)
set -eu
tmp=$DBLOCK_TEST_TMP
export CCACHE_DISABLE=1
unset CMAKE_GENERATOR
cd "$tmp"

fail()
{
	echo "tarball: $*" >&2
	[ ! -e "$tmp/log" ] || tail -n 40 "$tmp/log" >&2
	exit 1
}

# A repository of what is in the tree, which may be none of git's itself.
make_repository()
{
	mkdir first
	tar -C "$DBLOCK_SOURCE_DIR" --exclude='./build*' --exclude=./.git --exclude='*.db' -cf - . | tar -C first -xf -
	git -C first init -q
	git -C first add -A
	git -C first -c user.name=a -c user.email=a@example.org commit -q -m all
	git clone -q first another-longer-folder
}

same_tarball()
{
	(umask 022 && TZ=UTC LC_ALL=C first/packaging/tarball one >names)
	git -C another-longer-folder config tar.umask 0077
	git -C another-longer-folder config core.autocrlf true
	(umask 077 && GZIP=-1 TZ=Asia/Tokyo LC_ALL=C.UTF-8 another-longer-folder/packaging/tarball two >>names 2>log)
	name=$(basename "$(head -n 1 names)")
	[ "$(cat names)" = "$PWD/one/$name
$PWD/two/$name" ] || fail "they are called: $(cat names)"
	cmp "one/$name" "two/$name" || fail "two clones make two tarballs"
	[ "$(find one two -type f | wc -l)" = 2 ] || fail "it leaves other files"
	echo 'not committed' >first/not-committed
	first/packaging/tarball one >>names 2>log
	grep -q 'not committed is left out' log || fail "it says nothing of what is not committed"
	cmp "one/$name" "two/$name" || fail "what is not committed is in it"
}

# built FOLDER FROM CMAKE_ARGS...: in a system without git.
built()
{
	folder=$1
	from=$2
	shift 2
	cmake -S "$from" -B "$folder" -DDBLOCK_TESTS=OFF -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O0 -g' "$@" >log 2>&1 ||
		fail "cannot be configured in $folder"
}

without_git()
{
	mkdir bin
	printf '#!/bin/sh\necho "git was asked: $*" >>"%s"\nexit 127\n' "$tmp/asked" >bin/git
	chmod 755 bin/git
	PATH=$tmp/bin:$PATH
	export PATH
}

# As a distribution does it.
whole()
{
	tar -xzf "one/$name"
	built by-default "${name%.tar.gz}" -DCMAKE_INSTALL_PREFIX=/usr
	grep -q '^CMAKE_GENERATOR:INTERNAL=Unix Makefiles' by-default/CMakeCache.txt || fail "CMake took another generator"
	cmake --build by-default -j 2 >log 2>&1 || fail "does not build"
	DESTDIR=$tmp/root cmake --install by-default >log 2>&1 || fail "cannot be installed"
	[ ! -e asked ] || fail "$(cat asked)"
	[ -x root/usr/bin/dblock ] || fail "no program was installed"
}

# serves PROGRAM
serves()
{
	said=$(LD_LIBRARY_PATH=$tmp/$lib "$1") || fail "$1 fails"
	[ "dblock-$said.tar.gz" = "$name" ] || fail "$1 says '$said'"
}

consumers()
{
	lib=$(dirname "$(find root -name libdblock.so)")
	mkdir consumer
	printf '#include <dblock/dblock.h>\n#include <stdio.h>\nint main(void) { return puts(dblock_version()) < 0; }\n' \
		>consumer/consumer.c
	# shellcheck disable=SC2046 # flags are words
	cc -o by_pc consumer/consumer.c $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs dblock)
	serves ./by_pc
	cat >consumer/CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.22)
		project(consumer LANGUAGES C)
		find_package(dblock REQUIRED)
		add_executable(by_cmake consumer.c)
		target_link_libraries(by_cmake PRIVATE dblock::dblock)
	END
	{ cmake -S consumer -B consumer/made -DCMAKE_PREFIX_PATH="$tmp/root/usr" && cmake --build consumer/made; } >log 2>&1 ||
		fail "find_package(dblock) does not serve"
	serves consumer/made/by_cmake
	! grep -rlF "$tmp" root/usr >log || fail "what is installed names the folder of its build"
}

# The folder of the second build is outside of its sources, and both have longer names.
same_library()
{
	built "${name%.tar.gz}/made" "${name%.tar.gz}" -G Ninja -DDBLOCK_CLI=OFF
	mkdir another-place-for-it
	tar -C another-place-for-it -xzf "one/$name"
	built another-longer-folder-for-what-is-made "another-place-for-it/${name%.tar.gz}" -G Ninja -DDBLOCK_CLI=OFF
	for folder in "${name%.tar.gz}/made" another-longer-folder-for-what-is-made; do
		cmake --build "$folder" -j 2 --target dblock dblock_static >log 2>&1 || fail "does not build with Ninja"
		(cd "$folder/src" && sha256sum "$(readlink -f libdblock.so | xargs basename)" libdblock.a) >>sums
	done
	[ "$(wc -l <sums)" = 4 ] || fail "no library was made: $(cat sums)"
	[ "$(sort -u sums | wc -l)" = 2 ] || fail "two builds make two libraries: $(cat sums)"
	# The tests of a tarball can be configured, too.
	cmake -S "${name%.tar.gz}" -B with-tests -DDBLOCK_TESTS=ON >log 2>&1 || fail "the tests cannot be configured"
}

make_repository
same_tarball
without_git
whole
consumers
same_library
