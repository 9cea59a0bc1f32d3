-- outbox_page: the next messages of a shard, by key and number, and of each that has failed before: how often, and when
-- it is to be tried again (NULL: its key is parked).
-- $1 topic  $2 shard  $3 only behind this key  $4 and this number  $5 at most so many
-- $6 of so many bytes, and the one that is more
SELECT m.msg_key, m.number, m.id, m.put_at, m.headers, m.body, coalesce(f.tries, 0), f.due, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  FROM (SELECT o.msg_key, o.number, o.id, o.put_at, o.headers, o.body,
               sum((octet_length(o.headers) + octet_length(o.body))) OVER (ORDER BY o.msg_key, o.number)
                 - (octet_length(o.headers) + octet_length(o.body)) AS bytes
          FROM (SELECT * FROM dblock_outbox
                 WHERE topic = $1::text AND shard = $2::bigint AND (msg_key, number) > ($3::text COLLATE "C", $4::bigint)
                 ORDER BY msg_key, number LIMIT $5::bigint) o) m
  LEFT JOIN dblock_outbox_failure f
    ON f.topic = $1::text AND f.msg_key = m.msg_key AND f.number = m.number
 WHERE m.bytes < $6::bigint
 ORDER BY m.msg_key, m.number
