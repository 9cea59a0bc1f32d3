# SPDX-License-Identifier: MIT
# From what the program `trace` has written, the ways: WAY.md is the list that the document shows,
# WAY.calls each call of it. Input: names ("OFFSET FILE FUNCTION"), clauses, and the trace; variables:
# names, clauses, floors (DBLOCK_FLOORS), out (a folder). Prints "WAY FILES CLIMBS HASHED COMPARED
# WAIT", "clause FILE FUNCTION" for each that a list shows, and where a way enters src/lock/wait.

BEGIN {
	n = split(floors, list, " ")
	for (i = 1; i <= n; i++) {
		sub(/\/.*/, "", list[i])
		if (list[i] ~ /^(migrate|doctor|row)$/)
			level[list[i]] = level["lock"] # wings of one floor
		else if (!(list[i] in level))
			level[list[i]] = n_levels++
	}
}

FILENAME == names {
	home[$1] = $2
	name[$1] = $3
	next
}

FILENAME == clauses {
	key = $1 " " $2
	sub(/^[^ ]+ [^ ]+ /, "")
	clause[key] = $0
	next
}

function floor_of(file)
{
	sub(/\/.*/, "", file)
	return level[file]
}

# Counts the lines of acquire's list with which this one begins, too.
function alike(    i)
{
	for (i = 1; i <= n_lines && line[i] == first[i]; i++)
		;
	return i > 5 ? i - 1 : 0
}

# Functions of base, driver and sql are listed once.
function list_it(    i, n, word, file, text, to, above)
{
	to = out "/" way ".md"
	print "```" >to
	if ((n = alike()) > 0)
		print "(as above, up to " line[n] ")" >to
	for (i = n + 1; i <= n_lines; i++) {
		split(line[i], word, " ")
		file = word[1]
		if (floor_of(file) < level["link"] && (file in said)) {
			above++
			continue
		}
		said[file] = 1
		print "clause " line[i]
		text = sprintf("%*s%s", 2 * (n_levels - 1 - floor_of(file)), "", file)
		text = sprintf("%-34s %-25s %s", text, word[2], line[i] in clause ? clause[line[i]] : "?")
		sub(/ +$/, "", text)
		print text >to
	}
	if (above)
		print "(and " above " of sql, driver and base that are listed above)" >to
	if (way ~ /^(acquire|release)$/)
		text = ", " climbs " climbs back; hashes of the lock's name: " hashed
	print "```\n" n_lines " files" (way ~ /^(acquire|release)$/ ? text : "") "." >to
	close(to)
}

function finish(    i)
{
	if (way == "")
		return
	print way, n_lines, climbs, hashed, compared, waits
	if (way !~ /^first-/)
		list_it()
	for (i = 1; i <= n_lines && way == "acquire"; i++)
		first[i] = line[i]
	close(calls)
}

$1 == "way" {
	finish()
	way = $2
	calls = out "/" way ".calls"
	n_lines = climbs = hashed = compared = waits = 0
	before = n_levels
	split("", entered)
	next
}

$1 == "compared" {
	compared++
	next
}

{
	file = home[$2]
	climb = floor_of(file) > before
	climbs += climb
	before = floor_of(file)
	hashed += name[$2] ~ /name_hash/
	printf "%*s%s %s%s\n", 2 * $1, "", file, name[$2], climb ? "   (climb)" : "" >calls
	stack[$1] = file " " name[$2]
	if (!(file in entered)) {
		entered[file] = 1
		if (file ~ /^lock\/wait\// && waits++ == 0)
			print "enters lock/wait: " way ": " stack[$1 - 1] " calls " stack[$1]
		line[++n_lines] = file " " name[$2]
	}
}

END {
	finish()
}
