-- outbox_done: these messages of a shard were delivered.
-- $1 topic  $2 shard  $3 JSON: for each a list of its key, number and id
DELETE FROM dblock_outbox o
 USING (SELECT w ->> 0 AS msg_key, (w ->> 1)::bigint AS number, (w ->> 2)::bigint AS id
          FROM json_array_elements($3::json) w) d
 WHERE o.topic = $1::text AND o.shard = $2::bigint
   AND o.msg_key = d.msg_key COLLATE "C" AND o.number = d.number AND o.id = d.id
