# SPDX-License-Identifier: MIT
# Two tables of gcovr's, of lines and of branches, as one: a file, and the lines in it.

FNR == 1 {
	table++
}

$1 ~ /^src\// {
	if (table == 1)
		files[++n] = $1
	if ($4 != "100%")
		missing[$1, table] = $5
}

$1 == "TOTAL" {
	total[table] = sprintf("%5.1f %% (%d of %d)", 100 * $3 / $2, $3, $2)
}

# Lists are long: cut at commas, and go on below.
function show(what, list,    n, part, line, i)
{
	n = split(list, part, ",")
	line = ""
	for (i = 1; i <= n; i++) {
		if (length(line part[i]) > 80) {
			printf "  %-9s%s\n", what, line
			what = line = ""
		}
		line = line part[i] (i < n ? ", " : "")
	}
	if (line != "")
		printf "  %-9s%s\n", what, line
}

END {
	print "Lines that were not reached, and lines that were left one way only:"
	for (i = 1; i <= n; i++) {
		if (missing[files[i], 1] missing[files[i], 2] == "")
			continue
		print files[i]
		show("lines", missing[files[i], 1])
		show("branches", missing[files[i], 2])
	}
	printf "\nsrc/ lines    %s\nsrc/ branches %s\n", total[1], total[2]
}
