# SPDX-License-Identifier: MIT
# Finds who calls whom, by the symbols of the objects. Input: source, and a line of nm -g. See
# check/calls.

BEGIN {
	n = split(floors, names, " ")
	for (i = 1; i <= n; i++)
		level[names[i]] = i
	above = n
	n = split(modules, names, " ")
	for (i = 1; i <= n; i++)
		level["cli/" names[i]] = above + i
	level["cli"] = above + n + 1
}

function folder(path)
{
	sub(/\/[^\/]*$/, "", path)
	return path
}

NF == 3 && $2 == "U" {
	named[++names_n] = $1 " " $3
}

NF == 4 {
	home[$4] = $1
}

# Finds the files that `from` calls, those that they call, and so on.
function reach(from, todo,    n, file, i, callees)
{
	split("", seen)
	todo[n = 1] = from
	while (n > 0) {
		file = todo[n--]
		split(calls[file], callees, " ")
		for (i in callees) {
			if (!(callees[i] in seen)) {
				seen[callees[i]] = 1
				reaches[from, callees[i]] = 1
				todo[++n] = callees[i]
			}
		}
	}
}

# Tells each cycle once, at the file whose name comes first.
function knots(    from, to, n, who, is_first)
{
	for (from in calls)
		reach(from)
	for (from in calls) {
		n = 0
		who = ""
		is_first = 1
		for (to in calls) {
			if (!((from, to) in reaches) || !((to, from) in reaches))
				continue
			n++
			who = who " " to
			is_first = is_first && from <= to
		}
		if (n > 5 && is_first)
			print "src/" from ":1: " n " files call each other in a ring, 5 may:" who
	}
}

END {
	for (i = 1; i <= names_n; i++) {
		split(named[i], word, " ")
		caller = word[1]
		callee = home[word[2]]
		if (callee == "" || callee == caller)
			continue
		if (level[folder(callee)] > level[folder(caller)])
			print "src/" caller ":1: calls " word[2] "() of " folder(callee) \
				": a call only goes down"
		if (!((caller, callee) in called)) {
			called[caller, callee] = 1
			calls[caller] = calls[caller] " " callee
		}
	}
	knots()
}
