-- batch_new: several of acquire, for callers of one client, of names that are not known yet; in one
-- commit. As acquire inserts; a name that is known is left as it is. Nothing waits for row locks (on
-- MySQL, which knows no setting for one statement: not for the floor's).
-- $1 own session  $2 host  $3 pid  $4 JSON: a list for each, as batch takes them. ($5 to $13 belong to
-- other databases.)
-- For each that was inserted: its place in the list, from 1; 1; its token.
/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */
INSERT INTO dblock_lock
  (name, token, nonce, session, host, pid, thread, reentry,
   lease, expires, keep_until, acquired, value)
SELECT w.name, GREATEST(COALESCE((SELECT f.token FROM dblock_floor f WHERE f.id = 1
                            /*M! LOCK IN SHARE MODE */ /*!80000 FOR SHARE NOWAIT */), 0) + 1, c.now),
       w.nonce, IF(w.lease IS NULL, $1, NULL), $2, $3, w.thread, 1,
       w.lease, c.now + w.lease, c.now + w.at_least, c.now, w.value
  FROM JSON_TABLE($4, '$[*]' COLUMNS (
         what INT PATH '$[0]',
         name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         nonce BIGINT PATH '$[3]', thread BIGINT PATH '$[4]',
         lease BIGINT PATH '$[5]', at_least BIGINT PATH '$[6]',
         value TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]')) w
 CROSS JOIN (SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS now) c
 WHERE EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $1 AND NOT me.dead)
ON DUPLICATE KEY UPDATE token = dblock_lock.token
-- answer
-- batch_new: answer: what came of each
SELECT w.at, 1, l.token
  FROM JSON_TABLE($4, '$[*]' COLUMNS (
         at FOR ORDINALITY,
         name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         nonce BIGINT PATH '$[3]')) w
STRAIGHT_JOIN dblock_lock l FORCE INDEX (PRIMARY) ON l.name = CAST(w.name AS BINARY)
 WHERE l.nonce = w.nonce
