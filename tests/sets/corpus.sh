#!/bin/sh
# SPDX-License-Identifier: MIT
# The corpus, shapes that were seen in sets of others: up, down and up as the client does, and cut as others do.
set -eu
sets=${0%/*}
corpus=$sets/corpus/$DBLOCK_TEST_BACKEND

# PostgreSQL 13 knows no body in SQL.
if [ "${DBLOCK_TEST_POSTGRESQL-14}" -lt 14 ]; then
	cp -r "$corpus" "$DBLOCK_TEST_TMP/corpus"
	corpus=$DBLOCK_TEST_TMP/corpus
	rm "$corpus"/*_sql_body.*
fi
"$sets/take" --whole "$corpus"
"$sets/cuts" "$corpus"
