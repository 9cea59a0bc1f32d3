# SPDX-License-Identifier: MIT
# For tests/lint/check/dialects: finds text outside of the comment of the server that knows it.
BEGIN {
	n = split(ENVIRON["EXCEPTIONS"], lines, "\n")
	for (i = 1; i <= n; i++) {
		split(lines[i], part, ":")
		excepted[part[1] ":" part[2]]
	}
}

FNR == 1 { who = "" }

function look(text, pattern, server)
{
	while (match(text, "(^|[^a-z_])(" pattern ")")) {
		word = substr(text, RSTART, RLENGTH)
		sub(/^[^a-z_\/)-]/, "", word)
		if (!((FILENAME ":" word) in excepted))
			print FILENAME ":" FNR ": only " server " knows: " word
		text = substr(text, RSTART + RLENGTH)
	}
}

function judge(text)
{
	if (who != "mysql")
		look(text, ENVIRON["MYSQL"], "MySQL")
	if (who != "mariadb")
		look(text, ENVIRON["MARIADB"], "MariaDB")
}

# The text is read piece by piece: the marks say which server each piece is for.
{
	rest = tolower($0)
	while (match(rest, /--( |$)|\/\*m!|\/\*!80000|\/\*![0-9]*|\*\//)) {
		mark = substr(rest, RSTART, RLENGTH)
		before = substr(rest, 1, RSTART - 1)
		rest = substr(rest, RSTART + RLENGTH)
		judge(before)
		if (mark ~ /^--/) {
			rest = ""
		} else if (mark == "*/") {
			who = ""
		} else if (mark == "/*m!") {
			who = "mariadb"
		} else if (mark == "/*!80000") {
			who = "mysql"
		} else {
			print FILENAME ":" FNR ": " mark ": it is /*M! for MariaDB, /*!80000 for MySQL"
		}
	}
	judge(rest)
}
