#!/bin/sh
# SPDX-License-Identifier: MIT
# A line of 111 columns is found in a document; in a table, in code, in what the bench writes it is not. So
# is code that was filled as a paragraph.
set -eu
. "${0%/*}/planted"

folder=docs/user
mkdir -p $folder bench
wide=$(yes 'word' | head -n 30 | tr '\n' ' ' | sed 's/ $/s/')
cat >$folder/x.md <<END
$(echo "$wide" | cut -c1-109)é

| a table |
|---|
| $wide |

    $wide

    $wide

- one:
  [text](https://example.org/$(echo "$wide" | tr ' ' /))

\`\`\`
$wide
\`\`\`
<!-- bench -->
$wide
<!-- /bench -->
END
clean documents

echo "- $(echo "$wide" | cut -c1-109)" >$folder/y.md
caught documents "$folder/y.md:1: has 111 columns"
rm $folder/y.md
for file in README.md bench/README.md; do
	printf '\n%s\n' "$wide" >$file
	caught documents "$file:2: has 150 columns"
	rm $file
done
printf '\n    code\ntext\n    %s\n' "$wide" >>$folder/x.md
caught documents "$folder/x.md:23: has 154 columns"

printf '\n    NAME  HELD\n    a     lease \n    b\n' >$folder/z.md
caught documents "$folder/z.md:3: ends in a blank"
