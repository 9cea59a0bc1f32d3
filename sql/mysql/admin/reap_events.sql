-- reap_events: delete a batch of what happened long ago. The newest stays, so that ids only grow.
-- $1 keep so many rows  $2 none that is older than so many us  $3 delete at most so many
DELETE old
  FROM dblock_event old
  JOIN (SELECT e.id
          FROM dblock_event e
          JOIN (SELECT max(m.id) AS id FROM dblock_event m) newest ON e.id < newest.id
         WHERE e.id <= newest.id - $1 OR e.at < CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - $2
         ORDER BY e.id
         LIMIT $3) gone ON gone.id = old.id
