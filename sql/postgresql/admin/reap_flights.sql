-- reap_flights: delete results that are not fresh any more.
-- $1 at most so many
DELETE FROM dblock_flight f
 USING (SELECT x.name
          FROM dblock_flight x
         WHERE x.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
         ORDER BY x.expires
         LIMIT $1::bigint) old
 WHERE f.name = old.name AND f.expires <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
