-- outbox_done: these messages of a shard were delivered.
-- $1 topic  $2 shard  $3 JSON: for each a list of its key, number and id
DELETE FROM dblock_outbox
 WHERE topic = $1 AND shard = $2
   AND (msg_key, number, id) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
                                   FROM json_each($3))
