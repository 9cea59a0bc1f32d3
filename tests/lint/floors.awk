# SPDX-License-Identifier: MIT
# The rules of the floors. Input: file, line, included, mark (" or <). See check/floors.

BEGIN {
	n = split(floors, names, " ")
	for (i = 1; i <= n; i++)
		level[names[i]] = i
	n = split(modules, names, " ")
	for (i = 1; i <= n; i++)
		cli_level["cli/" names[i]] = i
	cli_level["cli"] = n + 1
	# These are wings of one floor: they never see each other.
	split("lock row migrate doctor", words, " ")
	for (i in words)
		wing[words[i]] = 1
	# These may see the session; the other wings work before any session exists.
	split("session lock api", words, " ")
	for (i in words)
		sees_session[words[i]] = 1
	split("libpq-fe.h mysql.h mysql/mysql.h mariadb/mysql.h sqlite3.h", words, " ")
	for (i in words)
		client_header[words[i]] = 1
	split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp " \
	      "signal stdarg stdbool stddef stdint stdio stdlib string tgmath time wchar wctype",
	      words, " ")
	for (i in words)
		standard_header[words[i] ".h"] = 1
}

function problem(text)
{
	print file ":" line ": " text
}

# src/<floor>/... includes "<other>/...", where each may be <floor>/<module>.
function check_floor(other,    above, below)
{
	above = first(floor)
	below = first(other)
	if (!(other in level))
		problem("\"" included "\" does not name a floor (folder/header.h)")
	else if (above in wing && below in wing && below != above)
		problem(floor " may not see " other ": they are wings of one floor")
	else if (level[other] > level[floor])
		problem(floor " may not see " other ": an include only goes down")
	else if (above == "driver" && below == "driver" && other != above && other != floor)
		problem(floor " may not see " other ": no driver sees another")
	else if (below == "session" && !(above in sees_session))
		problem(floor " may not see session: only lock stands on it")
}

function first(path)
{
	sub(/\/.*/, "", path)
	return path
}

function folder(path)
{
	sub(/\/?[^\/]*$/, "", path)
	return path
}

# src/cli/<module>/..., or src/cli/... above them all, includes "cli/<other>/..."
function check_cli(    module, other)
{
	module = folder(substr(file, length("src/") + 1))
	other = folder(included)
	if (!(module in cli_level))
		problem("src/" module " is not a module of cmake/floors.cmake")
	else if (quoted ? !(other in cli_level) : (included in client_header))
		problem("the program may see only <dblock/...>, its own modules and the system's headers")
	else if (quoted && cli_level[other] > cli_level[module])
		problem(module " may not see " other ": an include only goes down")
}

function check_public()
{
	if (quoted || !(included ~ /^dblock\// || included in standard_header))
		problem("a public header may see only <dblock/...> and standard C headers")
}

{
	file = $1
	line = $2
	included = $3
	quoted = $4 == "\""
	floor = folder(substr(file, length("src/") + 1))
	if (first(file) == "include") {
		check_public()
	} else if (first(floor) == "cli") {
		check_cli()
	} else if (!(floor in level)) {
		problem("src/" floor " is not a floor of cmake/floors.cmake")
	} else if (quoted) {
		check_floor(folder(included))
	} else if (included in client_header && first(floor) != "driver") {
		problem("only src/driver may see <" included ">")
	}
}
