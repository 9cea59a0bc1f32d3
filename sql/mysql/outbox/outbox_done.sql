-- outbox_done: these messages of a shard were delivered.
-- $1 topic  $2 shard  $3 JSON: for each a list of its key, number and id
-- Each by its key: a range would wait for messages that others are putting.
DELETE o
  FROM JSON_TABLE($3, '$[*]' COLUMNS (
         msg_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]',
         number BIGINT PATH '$[1]', id BIGINT PATH '$[2]')) d
STRAIGHT_JOIN dblock_outbox o FORCE INDEX (PRIMARY)
    ON o.topic = $1 AND o.shard = $2 AND o.msg_key = CAST(d.msg_key AS BINARY) AND o.number = d.number
 WHERE o.id = d.id
