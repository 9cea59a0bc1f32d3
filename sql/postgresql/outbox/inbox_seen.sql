-- inbox_seen: a message has come, and is had if its transaction commits: a row with the number of the one before it from
-- its key, 0: none, and with the id of the one that is the last now. So it is new if its number is larger; it has been
-- had before if not; and of the same number, but another id: its source has begun anew.
-- $1 source  $2 key  $3 number  $4 id
INSERT INTO dblock_inbox AS i (source, msg_key, number, id, prior, had_at)
VALUES ($1::text, $2::text, $3::bigint, $4::bigint, 0, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
ON CONFLICT (source, msg_key) DO UPDATE
   SET number = greatest(i.number, excluded.number),
       id = CASE WHEN excluded.number > i.number THEN excluded.id ELSE i.id END,
       prior = i.number,
       had_at = excluded.had_at
RETURNING prior, id
