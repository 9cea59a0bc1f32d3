#!/bin/sh
# SPDX-License-Identifier: MIT
# Text that only MariaDB or only MySQL knows is found in a text for both.
set -eu
. "${0%/*}/planted"

mkdir -p sql/mysql/lock sql/common/tx migrations/mysql

# planted TEXT WORD: the word is found in the text.
planted()
{
	printf -- '-- x: something.\n%s\n' "$1" >sql/mysql/lock/x.sql
	caught dialects "sql/mysql/lock/x.sql:2: $2"
}

cat >sql/mysql/lock/x.sql <<'END'
-- x: performance_schema and RETURNING, in a comment
/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */
SELECT token FROM dblock_lock WHERE name = $1 /*M! LOCK IN SHARE MODE SKIP LOCKED */ /*!80000 FOR SHARE SKIP LOCKED
   OF dblock_lock */ -- FOR SHARE
END
cp sql/mysql/lock/x.sql migrations/mysql/0001_x.up.sql
clean dialects

planted 'SET STATEMENT innodb_lock_wait_timeout = 0 FOR SELECT 1' 'only MariaDB knows: set statement'
planted 'DELETE FROM dblock_lock RETURNING token' 'only MariaDB knows: returning'
planted 'SELECT 1 FROM information_schema.innodb_locks' 'only MariaDB knows: information_schema.innodb_locks'
planted '/*!80000 SELECT @@tx_isolation */' 'only MariaDB knows: tx_isolation'
planted 'SELECT 1 FROM performance_schema.data_locks' 'only MySQL knows: performance_schema'
planted 'SELECT 1 FROM dblock_lock FOR SHARE' 'only MySQL knows: for share'
planted '/*M! SELECT 1 FROM dblock_lock FOR SHARE */' 'only MySQL knows: for share'
planted 'SELECT /*!50100 1 */' '/*!50100: it is'
mv sql/mysql/lock/x.sql sql/common/tx/x.sql
caught dialects 'sql/common/tx/x.sql:2: /*!50100: it is'
mkdir -p sql/mysql/tx
echo 'SELECT 1' >sql/mysql/tx/x.sql # goes before it
clean dialects
rm -r sql/common/tx sql/mysql/tx
echo 'ALTER TABLE t ADD COLUMN IF NOT EXISTS c INT' >migrations/mysql/0001_x.up.sql
caught dialects 'migrations/mysql/0001_x.up.sql:1: only MariaDB knows: column if not exists'
