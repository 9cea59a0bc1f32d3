# SPDX-License-Identifier: MIT
# The CSV of a run as Markdown, and as data for the plots: awk -v plots=DIR -f report.awk
# columns targets CSV... A figure is the median of its rounds; a relation is that of two medians, and
# in the targets also the smallest and largest of those of each round.

# --- reading ------------------------------------------------------------------------------------

function trim(s)
{
	gsub(/^[ \t]+|[ \t]+$/, "", s)
	return s
}

# Splits a line of CSV into field[1..n].
function csv(line, field,    n, i, c, quoted, s)
{
	n = 0
	s = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (quoted) {
			if (c != "\"")
				s = s c
			else if (substr(line, i + 1, 1) == "\"") {
				s = s c
				i++
			} else
				quoted = 0
		} else if (c == "\"")
			quoted = 1
		else if (c == ",") {
			field[++n] = s
			s = ""
		} else
			s = s c
	}
	field[++n] = s
	return n
}

FNR == 1 {
	part++
}

part <= 2 && (/^#/ || !NF) {
	next
}

part == 1 {
	split($0, f, ";")
	x = trim(f[1])
	references[x] = trim(f[2])
	relation_of[x] = trim(f[3])
	shown[x] = trim(f[4])
	form[x] = trim(f[5])
	next
}

part == 2 {
	targets[++n_targets] = $0
	next
}

FNR == 1 {
	n_names = csv($0, name)
	next
}

{
	csv($0, field)
	for (i = 1; i <= n_names; i++)
		row[name[i]] = field[i]
	enter()
}

function once(seen, list, count, value)
{
	if (!(value in seen)) {
		seen[value] = 1
		list[++count[0]] = value
	}
}

function enter(    x, s, key)
{
	x = row["experiment"]
	s = row["subject"]
	if (row["status"] != "ok") {
		troubles[++n_troubles] = x (row["load"] == "" ? "" : ", " row["load"]) ", " s ": " \
			row["status"]
		if (row["status"] != "not exclusive")
			return
	}
	once(seen_experiment, experiments, n_experiments, x)
	once(seen_load, loads, n_loads, x SUBSEP row["load"])
	once(seen_subject, subjects, n_subjects, s)
	if (row["machine"] != "")
		machine = row["machine"]
	if (row["version"] != "")
		once(seen_version, versions, n_versions, row["version"] ": " row["settings"])
	if (first == "" || row["when"] < first)
		first = row["when"]
	key = s "@" x "/" row["load"]
	derive(x)
	for (i in row)
		value[key, i, ++rounds[key, i]] = row[i]
}

# Computes further columns from a row's columns.
function derive(x)
{
	row["each_us"] = row["per_s"] + 0 > 0 ? 1000000 / row["per_s"] : ""
	row["cpu_each"] = row["grants"] + 0 > 0 ? row["cpu_us"] / row["grants"] : ""
	row["server_cpu_each"] = row["grants"] * row["server_cpu_us"] > 0 ? \
		row["server_cpu_us"] / row["grants"] : ""
	row["bytes_each"] = row["held"] + 0 > 0 ? row["bytes"] / row["held"] : ""
	row["cpu_ms_per_s"] = row["seconds"] + 0 > 0 ? row["cpu_us"] / 1000 / row["seconds"] : ""
	row["to_another"] = row["switches"]
	# Nobody was ever woken, so there is no time to show.
	if ((x == "hand-over" || x == "threads" || x == "waiters") && row["switches"] + 0 == 0)
		row["p50_us"] = row["p99_us"] = row["p999_us"] = row["max_us"] = ""
}

# --- arithmetic ---------------------------------------------------------------------------------

# Returns the median of the rounds that there are; "" if there are none.
function median(key, measure,    n, i, j, list, v)
{
	n = 0
	for (i = 1; i <= rounds[key, measure]; i++) {
		v = value[key, measure, i]
		if (v == "")
			continue
		for (j = n++; j >= 1 && list[j] > v + 0; j--)
			list[j + 1] = list[j]
		list[j + 1] = v + 0
	}
	if (!n)
		return ""
	return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# Returns the sum of terms, of the medians (round 0) or in one round; "" if one is missing.
function sum(terms, measure, round,    n, i, list, at, weight, v, total)
{
	n = split(terms, list, "[+]")
	total = 0
	for (i = 1; i <= n; i++) {
		list[i] = trim(list[i])
		weight = 1
		at = index(list[i], "*")
		if (at) {
			weight = substr(list[i], 1, at - 1)
			list[i] = substr(list[i], at + 1)
		}
		if (list[i] ~ /^[0-9.]+$/)
			v = list[i]
		else if (round)
			v = value[list[i], measure, round]
		else
			v = median(list[i], measure)
		if (v == "")
			return ""
		total += weight * v
	}
	return total
}

function figure(v)
{
	if (v == "")
		return "–"
	if (v >= 10000)
		return grouped(v)
	if (v >= 100)
		return sprintf("%.0f", v)
	if (v >= 10)
		return sprintf("%.1f", v)
	return sprintf("%.2f", v)
}

function grouped(v,    s, out)
{
	s = sprintf("%.0f", v)
	out = ""
	while (length(s) > 3) {
		out = " " substr(s, length(s) - 2) out
		s = substr(s, 1, length(s) - 3)
	}
	return s out
}

function ratio(a, b)
{
	return a == "" || b == "" || b == 0 ? "" : a / b
}

# --- writing ------------------------------------------------------------------------------------

function title(column)
{
	if (column == "per_s") return "per second"
	if (column == "p50_us") return "p50 µs"
	if (column == "p99_us") return "p99 µs"
	if (column == "p999_us") return "p99.9 µs"
	if (column == "each_us") return "mean µs"
	if (column == "cpu_each") return "client CPU µs each"
	if (column == "server_cpu_each") return "server CPU µs each"
	if (column == "bytes_each") return "bytes a grant"
	if (column == "cpu_ms_per_s") return "client CPU ms/s"
	if (column == "held") return "held"
	if (column == "to_another") return "went to another"
	return column
}

function head_of(x,    line, rule, list, n, i, at)
{
	line = "| |"
	rule = "|---|"
	n = split(shown[x], list, " ")
	for (i = 1; i <= n; i++) {
		line = line " " title(list[i]) " |"
		rule = rule "---:|"
	}
	n = split(references[x], list, " ")
	for (i = 1; i <= n; i++) {
		at = index(list[i], "/")
		line = line " × " substr(list[i], at + 1) " |"
		rule = rule "---:|"
	}
	print line "\n" rule
}

function line_of(s, x, load,    key, line, list, n, i, at, m)
{
	key = s "@" x "/" load
	line = s ~ /^dblock/ ? "| **" s "** |" : "| " s " |"
	n = split(shown[x], list, " ")
	for (i = 1; i <= n; i++)
		line = line " " figure(median(key, list[i])) " |"
	n = split(references[x], list, " ")
	m = relation_of[x]
	for (i = 1; i <= n; i++) {
		at = index(list[i], "/")
		line = line " " figure(ratio(median(key, m), \
			median(substr(list[i], 1, at - 1) "@" x "/" load, m))) " |"
	}
	print line
}

# Sorts the subjects that were measured under a load, the fastest first: ranked[1..n].
function rank(x, load,    i, j, n, key, v, of)
{
	n = 0
	for (i = 1; i <= n_subjects[0]; i++) {
		key = subjects[i] "@" x "/" load
		if (!rounds[key, "per_s"])
			continue
		v = median(key, "per_s")
		for (j = n++; j >= 1 && of[j] < v; j--) {
			of[j + 1] = of[j]
			ranked[j + 1] = ranked[j]
		}
		of[j + 1] = v
		ranked[j + 1] = subjects[i]
	}
	return n
}

function table(x, load,    i, n)
{
	print "\n### " x ", " load "\n"
	head_of(x)
	n = rank(x, load)
	for (i = 1; i <= n; i++)
		line_of(ranked[i], x, load)
}

# Writes one row for a target: met, or missed by how much.
function target(line,    f, text, m, key, wanted, got, low, high, r, one, verdict)
{
	split(line, f, ";")
	text = trim(f[1])
	m = trim(f[2])
	key = trim(f[3])
	wanted = trim(f[5]) + 0
	got = ratio(median(key, m), sum(trim(f[6]), m, 0))
	low = high = ""
	for (r = 1; r <= rounds[key, m]; r++) {
		one = ratio(value[key, m, r], sum(trim(f[6]), m, r))
		if (one != "" && (low == "" || one < low))
			low = one
		if (one != "" && (high == "" || one > high))
			high = one
	}
	if (got == "")
		verdict = "not measured"
	else if (trim(f[4]) == ">=")
		verdict = got >= wanted ? "met" : sprintf("missed: %.0f %% of it", 100 * got / wanted)
	else
		verdict = got <= wanted ? "met" : sprintf("missed: %.1f times it", got / wanted)
	printf "| %s | %s %s | %s | %s | %s |\n", text, trim(f[4]) == ">=" ? "≥" : "≤", trim(f[5]),
		figure(got), low == "" ? "–" : figure(low) " to " figure(high), verdict
}

# Writes a paragraph in lines of the width of our documents; those that follow the first are indented.
function wrapped(text, indent,    word, n, i, line)
{
	n = split(text, word, " ")
	line = word[1]
	for (i = 2; i <= n; i++) {
		if (length(line " " word[i]) > 110) {
			print line
			line = indent word[i]
		} else
			line = line " " word[i]
	}
	print line
}

function preface(    i)
{
	wrapped("Begun " first (machine == "" ? "" : ", on " machine) ". Figures are medians of the rounds.", "")
	print ""
	for (i = 1; i <= n_versions[0]; i++)
		wrapped("- " versions[i], "  ")
	print "\n### Targets\n"
	print "| a target, as a relation | wanted | is | rounds | |\n|---|---|---:|---|---|"
	for (i = 1; i <= n_targets; i++)
		target(targets[i])
	best()
}

# Writes for each load the fastest of dblock's and of the others': where we win, and where we lose.
function best(    l, part, n, i, ours, theirs)
{
	print "\n### The fastest of each\n"
	print "| | of dblock | per second | of the others | per second | × |\n|---|---|---:|---|---:|---:|"
	for (l = 1; l <= n_loads[0]; l++) {
		split(loads[l], part, SUBSEP)
		n = rank(part[1], part[2])
		ours = theirs = ""
		for (i = n; i >= 1; i--) {
			if (ranked[i] ~ /^dblock/)
				ours = ranked[i]
			else if (ranked[i] !~ /-(round-trip|bare-statement.*)$/)
				theirs = ranked[i]
		}
		if (ours != "" && theirs != "")
			best_line(part[1], part[2], ours, theirs)
	}
}

function best_line(x, load, ours, theirs,    a, b)
{
	a = median(ours "@" x "/" load, "per_s")
	b = median(theirs "@" x "/" load, "per_s")
	printf "| %s, %s | %s | %s | %s | %s | %s |\n", x, load, ours, figure(a), theirs, figure(b), \
		figure(ratio(a, b))
}

# Writes the data of the plots: for each load a file of subjects, for each experiment with lines one
# of loads.
function data(x, load,    i, n, file, key)
{
	if (plots == "")
		return
	file = plots "/" x "-" load ".bars"
	n = rank(x, load)
	for (i = 1; i <= n; i++) {
		key = ranked[i] "@" x "/" load
		if (median(key, "per_s") > 0)
			printf "%s\t%s\t%d\n", ranked[i], median(key, "per_s"), \
				ranked[i] ~ /^dblock/ ? 1 : 0 >file
	}
	close(file)
}

# Returns the number that a load is, or "".
function number_of(l, x,    part)
{
	split(loads[l], part, SUBSEP)
	return part[1] == x && part[2] ~ /^[0-9]+$/ ? part[2] : ""
}

function lines_of(x,    i, j, n, file, p50)
{
	n = 0
	for (j = 1; j <= n_loads[0]; j++)
		n += number_of(j, x) != ""
	if (plots == "" || form[x] != "lines" || n < 2)
		return
	file = plots "/" x ".lines"
	for (i = 1; i <= n_subjects[0]; i++) {
		n = 0
		for (j = 1; j <= n_loads[0]; j++) {
			p50 = median(subjects[i] "@" x "/" number_of(j, x), "p50_us")
			if (p50 == "")
				continue
			if (!n++)
				printf "%s%s\n", seen_lines[x]++ ? "\n\n" : "", subjects[i] >file
			printf "%s\t%s\n", number_of(j, x), p50 >file
		}
	}
	close(file)
}

END {
	preface()
	for (e = 1; e <= n_experiments[0]; e++) {
		x = experiments[e]
		for (l = 1; l <= n_loads[0]; l++) {
			split(loads[l], part_of, SUBSEP)
			if (part_of[1] == x) {
				table(x, part_of[2])
				data(x, part_of[2])
			}
		}
		lines_of(x)
	}
	if (n_troubles)
		print "\n### Left out, or failed\n"
	for (i = 1; i <= n_troubles; i++)
		wrapped("- " troubles[i], "  ")
}
