#!/bin/sh
# SPDX-License-Identifier: MIT
# `./dev release` passes where all agrees, in a repository of what is in the tree; each thing that does not, planted
# by itself, is named, and then there is no tarball. (Without lint: its checks have tests of their own.)
set -eu
tmp=$DBLOCK_TEST_TMP
cd "$tmp"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

fail()
{
	echo "release: $*" >&2
	cat "$tmp/out" >&2
	exit 1
}

# release [VERSION]
release()
{
	rm -rf "$tmp/made"
	packaging/release --quick --out "$tmp/made" "$@" >"$tmp/out" 2>&1
}

commit()
{
	git add -A
	git commit -q --allow-empty -m "$1"
}

# is_version VERSION: all that names the version does.
is_version()
{
	sed -i "s/^project(dblock VERSION [0-9.]*/project(dblock VERSION $1/" CMakeLists.txt
	sed -i "s/^    version = .*/    version = \"$1\"/" packaging/conan/conanfile.py
	sed -i "s/^  \"version\": .*/  \"version\": \"$1\",/" packaging/vcpkg/ports/dblock/vcpkg.json
	grep -qF "## [$1]" CHANGELOG.md || sed -i "0,/^## /s//## [$1] - 2026-01-31\n\n## /" CHANGELOG.md
	sed -i "s/^## \[$1\].*/## [$1] - 2026-01-31/" CHANGELOG.md
}

# passes WHAT [VERSION]: and makes what it says that it makes.
passes()
{
	what=$1
	shift
	release "$@" || fail "does not pass: $what"
	! grep -q '^NO' "$tmp/out" || fail "passes with a NO: $what"
	(cd "$tmp/made" && sha256sum -c --quiet ./*.sha256 && sha512sum -c --quiet ./*.sha512) || fail "the sums are others"
	sum=$(sha512sum "$tmp"/made/dblock-*.tar.gz | cut -d' ' -f1)
	grep -q "SHA512 $sum" "$tmp/made/vcpkg/ports/dblock/portfile.cmake" || fail "the port does not have the sum"
	grep -q "$(sha256sum "$tmp"/made/dblock-*.tar.gz | cut -d' ' -f1)" "$tmp/made/conan/conandata.yml" ||
		fail "conandata.yml does not have the sum"
}

# named TEXT [VERSION]: it fails, says TEXT in a line of a NO and again at the end, and has made nothing.
named()
{
	text=$1
	shift
	! release "$@" || fail "passes in spite of: $text"
	grep '^NO ' "$tmp/out" | grep -qF -- "$text" || fail "does not say: $text"
	sed '1,/^release: does not agree/d' "$tmp/out" | grep -qF -- "$text" || fail "does not say at the end: $text"
	[ ! -e "$tmp/made" ] || fail "has made something in spite of: $text"
}

# planted TEXT COMMAND...: the command is committed, and what does not agree then is named.
planted()
{
	text=$1
	shift
	"$@"
	[ -n "$(git status --porcelain)" ] || fail "plants nothing: $*"
	commit planted
	named "$text"
	git reset -q --hard "$good"
}

mkdir tree
tar -C "$DBLOCK_SOURCE_DIR" --exclude='./build*' --exclude=./.git --exclude='*.db' -cf - . | tar -C tree -xf -
cd tree
git init -q
version=$(sed -n 's/^project(dblock VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
soversion=$(sed -n 's/^set(DBLOCK_SOVERSION \([0-9]*\)).*/\1/p' CMakeLists.txt)
node=LIBDBLOCK_${version%.*}
symbols=debian/libdblock$soversion.symbols
commit before
before=$(git rev-parse HEAD)
is_version "$version"
commit good
good=$(git rev-parse HEAD)

# --- the command line: before anything is built ------------------------------------------------------
bad()
{
	code=0
	"$@" >"$tmp/out" 2>&1 || code=$?
	[ "$code" = 64 ] || fail "$* exits with $code"
	grep -q usage "$tmp/out" || fail "$* does not say how it is used"
	[ ! -e build ] || fail "$* has built something"
}
bad ./dev release --bogus
bad ./dev release "$version" "$version"
bad ./dev tarball --bogus
bad ./dev tarball one two
for command in release tarball; do
	./dev $command --help >"$tmp/out" 2>&1 || fail "./dev $command --help fails"
	grep -q '^usage: ' "$tmp/out" || fail "./dev $command --help does not say how it is used"
done
! ./dev release 99.9.9 >"$tmp/out" 2>&1 || fail "./dev release of another version passes"
grep -q '99.9.9 was asked for' "$tmp/out" || fail "./dev release of another version does not say so"
[ ! -e build ] || fail "./dev release of another version has built something"

# --- the first release -------------------------------------------------------------------------------
passes 'the first release'
passes 'the first release, by its name' "$version"
named "99.9.9 was asked for, CMakeLists.txt says $version" 99.9.9
touch new-file
named '?? new-file'
rm new-file
planted "unreleased', and not with" sed -i "s/^## \[$version\].*/## [$version] - unreleased/" CHANGELOG.md
planted 'there is no day 2026-02-30' sed -i "s/^## \[$version\].*/## [$version] - 2026-02-30/" CHANGELOG.md
planted "and not with '## [$version]" sed -i "s/^## \[$version\]/## [99.9.9]/" CHANGELOG.md
planted "conanfile.py says '99.9.9'" sed -i 's/^    version = .*/    version = "99.9.9"/' packaging/conan/conanfile.py
planted "vcpkg.json says '99.9.9'" sed -i 's/"version": .*/"version": "99.9.9",/' packaging/vcpkg/ports/dblock/vcpkg.json
planted 'has no package libdblock99' sed -i 's/^set(DBLOCK_SOVERSION [0-9]*/set(DBLOCK_SOVERSION 99/' CMakeLists.txt
planted 'is not libdblock99' sed -i 's/^set(DBLOCK_SOVERSION [0-9]*/set(DBLOCK_SOVERSION 99/' CMakeLists.txt
planted 'does not begin with libdblock.so' sed -i '1s/so\./so.9/' "$symbols"
planted "$node has no line in $symbols" sed -i "/$node /d" "$symbols"
planted "LIBDBLOCK_0.0 of debian" sed -i "\$a\\ (symver)LIBDBLOCK_0.0 0.0.0" "$symbols"
planted 'LIBDBLOCK_99.9 comes after version' sed -i "s/$node\\b/LIBDBLOCK_99.9/" src/libdblock.map "$symbols"
planted 'in debian/changelog' sh -c 'echo "dblock (99.9.9-1) unstable; urgency=low" >debian/changelog'
git tag "v$version" "$before"
named "v$version is there already, and is another commit"
git tag -f "v$version" >"$tmp/out"
passes 'what is tagged already'
debian/build --version | grep -qx "$version-1" || fail "debian/build makes $(debian/build --version)"

# --- the next one ------------------------------------------------------------------------------------
next=${version%.*}
next=${next%.*}.$((${next#*.} + 1)).0
next_node=LIBDBLOCK_${next%.*}
is_version "$next"
commit next
good=$(git rev-parse HEAD)
passes 'the next release, with the same symbols'
grep -q "after v$version" "$tmp/out" || fail "does not compare with v$version"

# The first one that is exported.
symbol=$(sed -n 's/^\t\([a-z_0-9]*\);$/\1/p' src/libdblock.map | head -n 1)
planted "$symbol is no more in " sed -i "/^\t$symbol;/d" src/libdblock.map
planted "dblock_new is new and in $node, not in $next_node" sed -i "s/^\t$symbol;/&\n\tdblock_new;/" src/libdblock.map
planted "not what v$version promised" sed -i 's/^DBLOCK_API const char \*dblock_outcome_name(.*/DBLOCK_API int dblock_outcome_name(int, int);/' \
	include/dblock/error.h

in_a_node_of_its_own()
{
	printf '%s {\nglobal:\n\tdblock_new;\n} %s;\n' "$next_node" "$node" >>src/libdblock.map
}

planted "$next_node has no line in $symbols" in_a_node_of_its_own
in_a_node_of_its_own
echo " (symver)$next_node $next~" >>"$symbols"
commit 'a new symbol'
passes 'a new symbol in a node of its own'

# A patch release adds none.
good=$(git rev-parse HEAD)
git tag "v$next"
is_version "${next%.*}.1"
commit patch
good=$(git rev-parse HEAD)
passes 'a patch release'
planted "is new, though v$next is of the same minor version" sed -i "s/^\tdblock_new;/&\n\tdblock_newer;/" src/libdblock.map
