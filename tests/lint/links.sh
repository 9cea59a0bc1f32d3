#!/bin/sh
# SPDX-License-Identifier: MIT
# Found are: a link to no file, to no heading, out of the tree, and a document that none leads to. Code has no
# links, headings are named as code hosts do it, and links may be broken by the end of a line.
set -eu
. "${0%/*}/planted"

mkdir -p docs/user examples
: >examples/x.c
cat >README.md <<'END'
# Tree

[one](docs/user/one.md), [its `second`
heading](docs/user/one.md#the-second-heading-c11), [and the next](docs/user/one.md#twice-1),
![a picture](examples/x.c), [elsewhere](https://example.org/none#none), [here](#tree), [r]

[r]: docs/user/two.md#two "title"
END
cat >docs/user/one.md <<'END'
# One

## The `second` heading: C11?

## Twice
## Twice

`[code](none.md)`, [the example](../../examples/x.c), [a folder](../../examples)

```
# No heading
[code](none.md)
```
END
echo '# Two' >docs/user/two.md
clean links

# planted_link LINE TARGET TEXT: the check says TEXT of that target in a page that ends with that line.
planted_link()
{
	cp docs/user/one.md kept
	printf '%s\n' "$1" >>docs/user/one.md
	caught links "docs/user/one.md:14: the link to '$2': $3"
	mv kept docs/user/one.md
}

planted_link '[x](none.md)' none.md 'there is no docs/user/none.md'
planted_link '[x](two.md#three)' two.md#three 'docs/user/two.md has no heading #three'
planted_link '[x](#no-heading)' '#no-heading' 'docs/user/one.md has no heading #no-heading'
planted_link '[x](#twice-2)' '#twice-2' 'docs/user/one.md has no heading #twice-2'
planted_link '[x](../../../x.md)' ../../../x.md 'leads out of the tree'
planted_link '[x](/etc/passwd)' /etc/passwd 'leads out of the tree'
planted_link '[x](../../examples/x.c#L3)' ../../examples/x.c#L3 'examples/x.c is no document with headings'
planted_link '![x](none.svg)' none.svg 'there is no docs/user/none.svg'
planted_link '[x]: none.md' none.md 'there is no docs/user/none.md'
planted_link '[x, and [y]](none.md)' none.md 'there is no docs/user/none.md'

echo '# Three, and [one](one.md)' >docs/user/three.md
caught links "docs/user/three.md:1: no way of links leads here from README.md"
rm docs/user/three.md

# ---- the comparison: what is ours leads to a test that is there

mkdir -p tests/db
: >tests/db/one.c
printf '%s\n' '[compared](docs/user/compared.md)' >>README.md
# compared CELL...: the table, with a row for each cell of ours.
compared()
{
	printf '# Compared\n\n| | | other | dblock |\n|--|--|--|--|\n' >docs/user/compared.md
	printf '| 1 | some thing | part | %s |\n' "$@" >>docs/user/compared.md
}

compared '[yes](../../tests/db/one.c)' '[(yes)](../../tests/db/one.c)' no –
clean links
compared no '[yes](../../tests/db/none.c)'
caught links "docs/user/compared.md:6: the link to '../../tests/db/none.c': there is no tests/db/none.c"
for cell in yes part '[yes](two.md)' '[yes](../../examples/x.c)' @@TEST@@; do
	compared no "$cell"
	caught links "docs/user/compared.md:6: '$cell' of ours leads to no test"
done
