# SPDX-License-Identifier: MIT
# Makes, of list.txt: OUT/<file> for each file in it, in which sim_mutant says which expression
# counts, and OUT/mutants.c, the table. Fails where an OLD does not stand exactly once.
# Called as: awk -v ROOT=... -v OUT=... -f mutate.awk list.txt

function die(text)
{
	print "mutants: " text > "/dev/stderr"
	failed = 1
	exit 1
}

function read_all(path,    line, text)
{
	while ((getline line < path) > 0)
		text = text line "\n"
	close(path)
	if (text == "")
		die(path ": cannot be read")
	return text
}

# Makes one replacement, by position: sub() would take the texts for patterns.
function replaced(text, old, new, where,    at, rest)
{
	at = index(text, old)
	rest = substr(text, at + length(old))
	if (at == 0)
		die(where ": '" old "' is not there any more: think again about " name)
	if (index(rest, old))
		die(where ": '" old "' is there more than once")
	return substr(text, 1, at - 1) new rest
}

function quoted(text)
{
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

# In SQL \n is a new line.
function lines(text)
{
	gsub(/\\\\n/, "\\n", text)
	return text
}

# The part behind @@ is left as it is.
function plant(old, new,    at, tail)
{
	if (!(file in texts)) {
		texts[file] = read_all(ROOT "/" file)
		files[++n_files] = file
	}
	if ((at = index(old, "@@")) > 0) {
		tail = substr(old, at + 2)
		gsub(/\\n/, "\n", tail)
		old = substr(old, 1, at - 1)
	}
	texts[file] = replaced(texts[file], old tail,
		"(sim_mutant == " n " ? (" new ") : (" old "))" tail, file)
}

function end_change()
{
	if (!open_change)
		return
	open_change = 0
	if (op != "")
		changes = changes "\t{" n ", DBL_OP_" op ", " lines(quoted(old)) ", " lines(quoted(new)) "},\n"
	else
		plant(old, new)
}

/^#/ { next }
/^mutant / { end_change(); n++; name = $2; file = op = ""; test = "0"; world = "single" }
/^test / { test = quoted($2) }
/^world / { world = $2 }
/^why / { names = names "\t{\"" name "\", " quoted(substr($0, 5)) ", " test ", &" world "_worlds},\n" }
/^file / { end_change(); file = $2; op = "" }
/^sql / { end_change(); op = $2 }
/^- / { end_change(); old = substr($0, 3); new = ""; open_change = 1 }
/^\+ / { new = substr($0, 3) }

END {
	if (failed)
		exit 1
	end_change()
	for (i = 1; i <= n_files; i++) {
		path = OUT "/" files[i]
		print "extern int sim_mutant;\n#line 1 \"" files[i] "\"\n" texts[files[i]] > path
		close(path)
	}
	print "/* Made by mutate.awk from list.txt. */\n#include \"sim/mutants/mutants.h\"\n" \
		"int sim_mutant;\n" \
		"const struct mutant mutants[] = {\n" names "\t{0, 0, 0, 0}};\n" \
		"const struct mutant_sql mutants_sql[] = {\n" changes "\t{0, 0, 0, 0}};" > (OUT "/mutants.c")
}
