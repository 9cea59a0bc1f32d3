-- quorum_read: as which member of which cluster this database votes, if it does; and its newest history, which is
-- not the one that became that member if this is a copy.
SELECT COALESCE(q.cluster, '') AS cluster, COALESCE(q.identity, '') AS identity, COALESCE(q.epoch, 0) AS epoch,
       COALESCE(q.members, 0) AS members, COALESCE(q.number, 0) AS number, COALESCE(q.state, 0) AS state,
       COALESCE(q.history, '') AS history, COALESCE(q.roster, '') AS roster,
       COALESCE(q.max_ttl, 0) AS max_ttl,
       COALESCE((SELECT h.id FROM dblock_history h WHERE h.n = (SELECT MAX(m.n) FROM dblock_history m)), '') AS newest
  FROM (SELECT 1 AS id) one
  LEFT JOIN dblock_quorum q ON q.id = one.id
