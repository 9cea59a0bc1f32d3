#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed copy, moved to another place, serves consumers: by pkg-config and by
# find_package(dblock), shared and static; and makes migrations a part of a program.
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

# number VERSION NUMBER: that is the one of a header that says so.
number()
{
	# shellcheck disable=SC2086 # it is taken apart
	(IFS=. && set -- $1 && sed -E "s/(DBLOCK_VERSION_MAJOR +)[0-9]+\$/\1$1/
		s/(DBLOCK_VERSION_MINOR +)[0-9]+\$/\1$2/; s/(DBLOCK_VERSION_PATCH +)[0-9]+\$/\1$3/" \
		moved/include/dblock/version.h) >version_of.h
	printf '#include "version_of.h"\n#if DBLOCK_VERSION_NUMBER == %s\nis it\n#endif\n' "$2" |
		cc -E -P -I . -I moved/include - | grep -q 'is it'
}
major=${version%%.*}
minor=${version#*.}
patch=${version##*.}
minor=${minor%.*}
# This version, and one whose digits tell where each of them comes from.
number "$version" $((major * 10000 + minor * 100 + patch)) || fail "$version has another number"
number 12.34.56 123456 || fail "12.34.56 is not 123456"

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
		! command -v g++ >/dev/null ||
			g++ -std=c++17 -o hello "$DBLOCK_SOURCE_DIR/examples/cpp/hello.cpp" \
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

# dblock_embed_migrations(): in C and in C++. What was added, taken away, or only has another name is seen by
# the next build, though it is older than what was built; what is not sound fails it.
embed_project()
{
	mkdir -p app/db/sqlite
	echo 'CREATE TABLE item (id INTEGER);' >app/db/sqlite/0001_item.up.sql
	echo 'CREATE VIEW all_items AS SELECT id FROM item;' >app/db/sqlite/R_all_items.sql
	cat >app/app.c <<-'END'
		#include <stdio.h>
		#ifdef FLAT
		#include "flat.h"
		#define FILES flat
		#define N_FILES flat_count
		#else
		#include "migrations.h"
		#define FILES migrations_sqlite
		#define N_FILES migrations_sqlite_count
		#endif

		static int tell(void *arg, const struct dblock_migration *m)
		{
			(void)arg;
			printf("%s ", m->name);
			return 0;
		}

		int main(int argc, char **argv)
		{
			struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
			struct dblock_error err;

			which.files = FILES;
			which.n_files = N_FILES;
			if (argc != 2 || dblock_migrate_up(argv[1], NULL, &which, tell, NULL, &err)) {
				puts(err.message);
				return 1;
			}
			return 0;
		}
	END
	cp app/app.c app/app.cc
	cat >app/CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.22)
		project(app LANGUAGES \${LANGUAGE})
		find_package(dblock $version REQUIRED)
		add_executable(app app.\${SUFFIX})
		target_link_libraries(app PRIVATE dblock::dblock)
		dblock_embed_migrations(app db)
		add_executable(flat app.\${SUFFIX})
		target_compile_definitions(flat PRIVATE FLAT)
		target_link_libraries(flat PRIVATE dblock::dblock)
		dblock_embed_migrations(flat db/sqlite SYMBOL flat DIALECT sqlite)
	END
}

# embed_configure LANGUAGE SUFFIX [CMAKE_ARGS...]
embed_configure()
{
	cmake -S app -B "app/in $1" -DLANGUAGE="$1" -DSUFFIX="$2" -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1
}

# applies LANGUAGE NAMES: both programs are built, and each applies these to a fresh database.
applies()
{
	cmake --build "app/in $1" >cmake.log 2>&1 || {
		cat cmake.log >&2
		fail "migrations are not embedded in $1"
	}
	for program in app flat; do
		rm -f app/*.db
		got=$("app/in $1/$program" "sqlite:app/$program.db") || fail "$program in $1: $got"
		[ "$got" = "$2 " ] || fail "$program in $1 applies '$got', not '$2'"
	done
}

embed()
{
	embed_project
	embed_configure C c || fail "cannot be configured: $(cat cmake.log)"
	embed_configure CXX cc || fail "cannot be configured in C++: $(cat cmake.log)"
	applies C 'item all_items'
	applies CXX 'item all_items'
	echo 'CREATE TABLE more (id INTEGER);' >app/db/sqlite/0002_more.up.sql
	touch -d 2001-01-01 app/db/sqlite/0002_more.up.sql
	applies C 'item more all_items'
	mv app/db/sqlite/0002_more.up.sql app/db/sqlite/0002_other.up.sql
	applies C 'item other all_items'
	rm app/db/sqlite/0002_other.up.sql
	applies C 'item all_items'
	echo 'CREATE TABLE more (id INTEGER);' >app/db/sqlite/0002_more.up.sql
	applies C 'item more all_items'
	printf 'CREATE TABLE more (\n  name TEXT DEFAULT %sx\n);\n' "'" >app/db/sqlite/0002_more.up.sql
	if cmake --build 'app/in C' >cmake.log 2>&1; then
		fail "a file with a quote that does not end was embedded"
	fi
	grep -q 'db/sqlite/0002_more.up.sql:2:21: ' cmake.log || fail "no file and line: $(cat cmake.log)"
	rm app/db/sqlite/0002_more.up.sql
	applies C 'item all_items'
}

# Without the program, and with a word that is none of it, CMake says what to do; another program can be named.
embed_refused()
{
	sed -i 's/DIALECT/DIALCET/' app/CMakeLists.txt
	! embed_configure C c || fail "DIALCET was taken"
	grep -q 'DIALECT sqlite' cmake.log || fail "no word about DIALCET: $(cat cmake.log)"
	sed -i 's/DIALCET/DIALECT/' app/CMakeLists.txt
	mv moved/bin/dblock elsewhere
	rm -r 'app/in C'
	! embed_configure C c || fail "embeds without the program"
	tr -s ' \n' ' ' <cmake.log | grep -q 'build dblock with -DDBLOCK_CLI=ON, or name' ||
		fail "no word about the program: $(cat cmake.log)"
	ln -s "$prefix/bin/dblock" named
	mv elsewhere moved/bin/dblock
	cmake -DDBLOCK_PROGRAM="$PWD/named" 'app/in C' >cmake.log 2>&1 || fail "$(cat cmake.log)"
	grep -q "$PWD/named migrate embed" -r 'app/in C' || fail "DBLOCK_PROGRAM is not used"
	applies C 'item all_items'
}

if [ -e moved/bin/dblock ]; then
	embed
	embed_refused
fi


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
# A page names the other functions of its header, and has no paragraph that is empty.
grep -q '^\.BR dblock_release (3),' moved/share/man/man3/dblock_acquire.3 || fail "dblock_acquire(3) does not name dblock_release(3)"
awk '/^\.(TP|RS|SH)/ && last == ".PP" { print FILENAME ":" FNR; bad = 1 } { last = $0 } END { exit bad }' \
	moved/share/man/man3/*.3 || fail "there are empty paragraphs"

# The program finds its library by itself.
if [ -e "$DBLOCK_BUILD_DIR/src/cli/dblock" ]; then
	moved/bin/dblock version | grep -qF "$version" || fail "the installed program does not run"
	for script in bash-completion/completions/dblock zsh/site-functions/_dblock \
		fish/vendor_completions.d/dblock.fish; do
		grep -q 'complete' "moved/share/$script" || fail "$script was not installed"
	done
fi
