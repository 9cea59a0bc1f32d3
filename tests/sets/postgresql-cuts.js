// SPDX-License-Identifier: MIT
// Compares where files are cut into statements with where PostgreSQL's own parser (libpg-query, of npm) does:
// node postgresql-cuts.js LIBPG_QUERY CUTS FILE...; CUTS is the program of our_cuts.c.
// What the parser takes as a whole has to be cut as it says. Where it finds an error, it is asked about each
// statement: it must be one for it, or its tokens have no `;` outside of parentheses; and none may be a part.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const pg = require(path.resolve(process.argv[2]));

const tally = { files: 0, whole: 0, refused: 0, statements: 0, differ: 0 };

// Returns of each file our cuts, and why it is refused.
function cuts(program, files)
{
	const all = [];
	for (const line of execFileSync(program, ['postgresql', ...files], { maxBuffer: 1 << 30 })
		.toString().split('\n')) {
		const [word, ...rest] = line.split(' ');
		if (word === 'file')
			all.push({ cuts: [] });
		else if (word === 'error')
			all.at(-1).error = rest.join(' ');
		else if (word)
			all.at(-1).cuts.push([Number(word), Number(rest[0])]);
	}
	return all;
}

// Returns the parser's statements, [from, to] in bytes; undefined: it finds an error.
function parse(text)
{
	try {
		return (pg.parseSync(text).stmts ?? []).map(({ stmt_location: from = 0, stmt_len: len }) =>
			[from, len ? from + len : Buffer.byteLength(text)]);
	} catch {
		return undefined;
	}
}

// Tells whether its lexer sees a `;` outside of parentheses, and of a body in SQL.
function has_end(text)
{
	let depth = 0;
	if (/\bbegin\s+atomic\b/i.test(text))
		return false;
	try {
		for (const { text: token } of pg.scanSync(text).tokens) {
			depth += token === '(' ? 1 : token === ')' ? -1 : 0;
			if (token === ';' && depth <= 0)
				return true;
		}
	} catch {
		return undefined;
	}
	return false;
}

// Returns what is wrong with our cuts of a text which the parser takes. (To us a hint before a statement is a
// part of it.)
function compare_whole(bytes, ours, theirs)
{
	for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
		const a = ours[i], b = theirs[i];
		const hint = a && bytes.subarray(a[0], a[0] + 3).equals(Buffer.from('/*+'));
		if (!a || !b || (a[0] < b[0] && !hint) || a[1] > b[1])
			return `statement ${i + 1}: ours ${a}, the parser's ${b}`;
	}
	return undefined;
}

// The same of one statement in a text that has an error somewhere.
function compare_one(bytes, ours, i)
{
	const text = (to) => bytes.subarray(ours[i][0], ours[to]?.[1]).toString();
	const alone = parse(text(i));
	if (alone)
		return alone.length === 1 ? undefined : `statement ${i + 1} is ${alone.length}`;
	if (has_end(text(i)))
		return `statement ${i + 1} has a \`;\` for the lexer: ${text(i).slice(0, 200)}`;
	for (let to = i + 1; to < Math.min(ours.length, i + 4); to++) {
		if (parse(text(to))?.length === 1)
			return `statements ${i + 1} to ${to + 1} are one`;
	}
	return undefined;
}

function compare(file, { cuts: ours, error })
{
	const read = fs.readFileSync(file);
	const bom = read.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
	const bytes = read.subarray(bom);
	const shifted = ours.map(([from, to]) => [from - bom, to - bom]);
	const theirs = parse(bytes.toString());

	tally.files++;
	tally.statements += ours.length;
	if (theirs && !error) {
		tally.whole++;
		return [compare_whole(bytes, shifted, theirs)];
	}
	if (error) {
		tally.refused++;
		console.log(`refused${theirs ? ', but not by the parser' : ''}: ${error}`);
	}
	return shifted.map((_, i) => compare_one(bytes, shifted, i));
}

async function main([program, ...files])
{
	await pg.loadModule();
	const all = cuts(program, files);
	files.forEach((file, i) => {
		for (const difference of compare(file, all[i]).filter(Boolean)) {
			tally.differ++;
			console.log(`${file}: ${difference}`);
		}
	});
	console.log(`postgresql: ${tally.files} files (${tally.whole} without an error for the parser, ` +
		`${tally.refused} refused), ${tally.statements} statements, ${tally.differ} differ`);
	process.exitCode = tally.differ || !tally.files ? 1 : 0;
}

main(process.argv.slice(3));
