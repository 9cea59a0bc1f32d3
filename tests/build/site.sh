#!/bin/sh
# SPDX-License-Identifier: MIT
# What ./dev docs looks at its pages with finds a link that leads nowhere, and whatever a page would load from
# elsewhere; and each public function has a heading, its prototype and its outcomes in the reference.
set -eu
cd "$DBLOCK_TEST_TMP"
site=$DBLOCK_SOURCE_DIR/docs/site

fail()
{
	echo "site: $*" >&2
	exit 1
}

# ---- docs/site/check

mkdir -p site/a
cat >site/index.html <<'END'
<link rel="stylesheet" href="a/x.css?1"><script src="a/x.js"></script><img src="data:image/png;base64,AA">
<p id="here" style="background: url(a/x.png)"><a href="a/b.html#there">b</a> <a href="#here">here</a>
<a href="https://example.org/">elsewhere</a> <a href="a/b%20c.html">b c</a>
END
echo '<p id="there"><a href="../index.html#here">back</a>' >site/a/b.html
cp site/a/b.html 'site/a/b c.html'
echo 'p { background: url("x.png") } q { background: url(data:x) }' >site/a/x.css
: >site/a/x.js
: >site/a/x.png
"$site/check" site || fail "it complains about a clean site"

# caught TEXT: of a page that is added.
caught()
{
	! "$site/check" site >out || fail "it does not find: $1"
	grep -qF -- "$1" out || fail "it says '$(cat out)', and not '$1'"
	rm -f site/a/y.*
}

echo '<a href="none.html">x</a>' >site/a/y.html
caught "site/a/y.html:1: the link to 'none.html' leads nowhere"
echo '<a href="b.html#none">x</a>' >site/a/y.html
caught "site/a/y.html:1: the link to 'b.html#none': there is no such name"
for load in '<script src="https://example.org/x.js"></script>' '<img src="//example.org/x.png">' \
	'<link rel="stylesheet" href="http://example.org/x.css">' '<p style="background: url(https://example.org/x)">' \
	'<img src="none.png">'; do
	echo "$load" >site/a/y.html
	caught "site/a/y.html:1: loads '"
done
echo '@import url(/javascript/normal.css);' >site/a/y.css
caught "site/a/y.css:1: loads '/javascript/normal.css'"
echo '@font-face { src: url("https://example.org/x.woff") }' >site/a/y.css
caught "site/a/y.css:1: loads 'https://example.org/x.woff'"

# ---- docs/site/reference.py

mkdir pages
(cd "$DBLOCK_SOURCE_DIR" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$site python3 - "$DBLOCK_TEST_TMP/pages") <<'END'
import sys
import reference
for name in reference.headers():
    with open(f"{sys.argv[1]}/{reference.shown_name(name)}", "w", encoding="utf-8") as file:
        file.write(reference.page(name)[0])
END
count=0
for header in "$DBLOCK_SOURCE_DIR"/include/dblock/*.h; do
	page=pages/$(basename "$header")
	functions=$(sed -nE 's/^DBLOCK_API .*[ *](dblock_[a-z_0-9]+)\(.*/\1/p' "$header")
	for function in $functions; do
		grep -qxF "## \`$function()\`" "$page" || fail "$page has no heading for $function()"
		sed -n "/^## .$function()./,/^\`\`\`\$/p" "$page" | grep -v '^#' | grep -qF "$function(" ||
			fail "$page has no prototype of $function()"
		count=$((count + 1))
	done
	outcomes=$(grep -cE '^ \* @retval +DBLOCK_' "$header" || :)
	listed=$(grep -cE '^- .DBLOCK_' "$page" 2>/dev/null || :)
	[ "${listed:-0}" -ge "$outcomes" ] || fail "$page has $listed outcomes, the header $outcomes"
done
[ $count -gt 50 ] || fail "there are only $count functions"
