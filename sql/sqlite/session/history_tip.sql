-- history_tip: the newest history of this database, and what names the server now; a row. Is the history
-- that the client knows among those that the database has had?
-- $1 id of that history
SELECT coalesce(t.n, 0) AS n, coalesce(t.id, '') AS id, coalesce(t.facts, '') AS noted, '' AS facts,
       EXISTS (SELECT 1 FROM dblock_history k WHERE k.id = $1) AS known
  FROM (SELECT max(n) AS n FROM dblock_history) m LEFT JOIN dblock_history t ON t.n = m.n
