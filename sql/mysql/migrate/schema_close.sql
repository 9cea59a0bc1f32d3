-- schema_close: nobody holds a lock, and from here on nobody can get one, until schema_reopen. DROP TABLE
-- commits before it begins, so this has to outlast the transaction. No name is known any more, and a new
-- name's token starts above the floor: no number is above this one, so the statement fails (see `closed`
-- in the dialect). The old floor is kept in a row that no name refers to.
INSERT INTO dblock_lock (name, token, nonce, host, pid, thread, reentry, acquired)
SELECT CHAR(1), GREATEST(f.token, COALESCE((SELECT MAX(l.token) FROM dblock_lock l), 0)),
       0, '', 0, 0, 0, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
  FROM dblock_floor f
 WHERE f.id = 1 AND f.token < 9223372036854775807
-- step
DELETE FROM dblock_lock WHERE name <> CHAR(1)
-- step
UPDATE dblock_floor SET token = 9223372036854775807 WHERE id = 1
