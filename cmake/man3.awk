# SPDX-License-Identifier: MIT
# A page of section 3 for each public prototype of a header, from the comment above it:
# awk -v out=DIR -v version=V -f man3.awk HEADER

# As roff: no escape, no request.
function plain(text)
{
	gsub(/\\/, "\\e", text)
	return text ~ /^[.']/ ? "\\&" text : text
}

# The first sentence, without its end.
function summary(    i, text)
{
	for (i = 1; i <= n && line[i] != ""; i++)
		text = text (i > 1 ? " " : "") line[i]
	sub(/[.:;] .*/, "", text)
	sub(/[.:]$/, "", text)
	return plain(text)
}

# @param and @retval have tags; what follows belongs to them until a blank line, or one that begins
# like a sentence. Else what is indented is shown as it stands.
function describe(    i, tagged, shown, parts)
{
	for (i = 1; i <= n; i++) {
		# What has a tag, or is shown, parts by itself.
		if (parts && line[i] != "") {
			parts = 0
			if (line[i] !~ /^@/ && line[i] !~ /^   /)
				print ".PP" > page
		}
		if (shown && line[i] !~ /^   /) {
			print ".fi\n.RE" > page
			shown = 0
		}
		if (line[i] == "") {
			tagged = 0
			parts = 1
		} else if (match(line[i], /^@(param|retval) +[^ ]+(, +DBLOCK_[A-Z_]+,?)*/)) {
			tagged = 1
			print ".TP\n.B " plain(substr(line[i], index(line[i], " ") + 1,
				RLENGTH - index(line[i], " "))) > page
			print plain(trimmed(substr(line[i], RLENGTH + 1))) > page
		} else if (sub(/^@return +/, "", line[i])) {
			tagged = 1
			print ".TP\n.B returns\n" plain(line[i]) > page
		} else if (!tagged && line[i] ~ /^   /) {
			if (!shown)
				print ".RS\n.nf" > page
			shown = 1
			print plain(line[i]) > page
		} else {
			if (tagged && line[i] ~ /^[A-Z]/ && line[i] !~ /^DBLOCK_/) {
				tagged = 0
				print ".PP" > page
			}
			print plain(trimmed(line[i])) > page
		}
	}
	if (shown)
		print ".fi\n.RE" > page
}

function trimmed(text)
{
	sub(/^ +/, "", text)
	return text
}

function write_page(    name)
{
	match(prototype, /dblock_[a-z0-9_]+\(/)
	name = substr(prototype, RSTART, RLENGTH - 1)
	page = out "/" name ".3"
	print ".\\\" Made from <" header ">.\n.TH " name " 3 \"\" \"dblock " version "\"" > page
	print ".SH NAME\n" name " \\- " summary() > page
	print ".SH SYNOPSIS\n.nf\n#include <" header ">\n" > page
	print plain(prototype) "\n.fi\n.SH DESCRIPTION" > page
	describe()
	close(page)
	made[++pages] = name
}

# The other functions of a header are known at its end.
function see_also(    i, k)
{
	for (i = 1; i <= pages; i++) {
		page = out "/" made[i] ".3"
		print ".SH SEE ALSO" >> page
		for (k = 1; k <= pages; k++)
			if (k != i)
				print ".BR " made[k] " (3)," >> page
		print ".BR dblock (3),\n.BR dblock (1)" >> page
		close(page)
	}
	pages = 0
}

FNR == 1 {
	see_also()
	header = FILENAME
	sub(/.*\//, "dblock/", header)
}
/^\/\*\*/ {
	n = 0
	in_comment = 1
	sub(/^\/\*\* ?/, "")
}
in_comment {
	in_comment = !/\*\/$/
	sub(/ ?\*\/$/, "")
	sub(/^ \* ?/, "")
	if ($0 != "" || (n > 0 && in_comment))
		line[++n] = $0
	next
}
/^DBLOCK_API / {
	prototype = ""
	in_prototype = 1
}
in_prototype {
	text = $0
	sub(/^DBLOCK_API (DBLOCK_NODISCARD )?/, "", text)
	sub(/^\t+ */, "        ", text)
	prototype = prototype (prototype == "" ? "" : "\n") text
	if (/;$/) {
		in_prototype = 0
		write_page()
	}
}
END {
	see_also()
}
