-- batch: several releases and acquires, for callers of one client, in one commit.
-- $1 own session  $2 host  $3 pid  $4 the session's last beat  $5 JSON: for each a list of
--   what: 0 release, 1 acquire; name, token, nonce, thread, lease us, minimum hold us, value,
--   not 0: also if others wait in the queue, nonce of a grant of ours that it replaces, or 0
-- ($6 to $14 are for other databases.) The conditions are those of release and acquire, but all are
-- checked before anything is set: here assignments have no order. A release with a minimum hold is left
-- to release. It waits for no row: if one is locked, all have to go alone. (MySQL has no such setting for
-- one statement, so it locks the rows while it reads the list.)
-- The answer, for each whose name is known: its number in the list, from 1; is it done? its token. A
-- release whose grant is gone has done that itself if as many rows were changed as are done: see batch.c.
/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */
UPDATE /*!80000 (SELECT w.* FROM */ JSON_TABLE($5, '$[*]' COLUMNS (
         what INT PATH '$[0]',
         name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         token BIGINT PATH '$[2]', nonce BIGINT PATH '$[3]', thread BIGINT PATH '$[4]',
         lease BIGINT PATH '$[5]', at_least BIGINT PATH '$[6]',
         value TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]',
         unfair INT PATH '$[8]', replaces BIGINT PATH '$[9]')) w
  /*!80000 STRAIGHT_JOIN dblock_lock k FORCE INDEX (PRIMARY) ON k.name = CAST(w.name AS BINARY)
       LIMIT 9223372036854775807 FOR UPDATE OF k NOWAIT) w */
STRAIGHT_JOIN dblock_lock l FORCE INDEX (PRIMARY) ON l.name = CAST(w.name AS BINARY)
   SET l.token = IF(w.what = 1, GREATEST(l.token + 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)), l.token),
       l.nonce = IF(w.what = 1, w.nonce, 0),
       l.session = IF(w.what = 1 AND w.lease IS NULL, $1, NULL),
       l.host = IF(w.what = 1, $2, l.host),
       l.pid = IF(w.what = 1, $3, l.pid),
       l.thread = IF(w.what = 1, w.thread, l.thread),
       l.reentry = w.what,
       l.lease = IF(w.what = 1, w.lease, NULL),
       l.expires = IF(w.what = 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.lease, NULL),
       l.keep_until = IF(w.what = 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) + w.at_least, NULL),
       l.acquired = IF(w.what = 1, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), l.acquired),
       l.released = IF(w.what = 1, l.released, CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)),
       l.value = IF(w.what = 1, w.value, NULL)
 WHERE IF(w.what = 1,
          (NOT l.queued OR w.unfair <> 0)
          AND l.mode = 0
          AND ((l.session IS NULL AND l.expires IS NULL)
               OR l.nonce = NULLIF(w.replaces, 0)
               OR l.expires <= CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
               OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))
          AND EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $1 AND NOT me.dead AND me.beat >= $4),
          l.token = w.token AND l.nonce <> 0
          AND (w.nonce IS NULL OR l.nonce = w.nonce)
          AND (l.session IS NOT NULL OR l.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED))
          AND NOT l.queued AND l.keep_until IS NULL)
-- answer
-- batch: answer: the outcome of each
SELECT w.at, IF(w.what = 1, l.nonce = w.nonce, NOT (l.token = w.token AND l.nonce <> 0 AND (w.nonce IS NULL OR l.nonce = w.nonce))),
       IF(w.what = 1, l.token, NULL)
  FROM JSON_TABLE($5, '$[*]' COLUMNS (
         at FOR ORDINALITY, what INT PATH '$[0]',
         name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]',
         token BIGINT PATH '$[2]', nonce BIGINT PATH '$[3]')) w
STRAIGHT_JOIN dblock_lock l FORCE INDEX (PRIMARY) ON l.name = CAST(w.name AS BINARY)
 WHERE w.what = 1 OR l.keep_until IS NULL OR l.token <> w.token
