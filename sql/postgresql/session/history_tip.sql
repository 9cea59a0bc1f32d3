-- history_tip: the newest history of this database, and what names the server now; a row. Is the history
-- that the client knows among those that the database has had?
-- $1 id of that history
-- A promotion begins another timeline. (pg_control_checkpoint() tells the old one for minutes.)
SELECT coalesce(t.n, 0) AS n, coalesce(t.id, '') AS id, coalesce(t.facts, '') AS noted, f.facts,
       EXISTS (SELECT 1 FROM dblock_history k WHERE k.id = $1)::int AS known
  FROM (SELECT concat_ws('/', c.system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
                         d.oid) AS facts
          FROM pg_control_system() c, pg_database d
         WHERE d.datname = current_database()) f
  LEFT JOIN dblock_history t ON t.n = (SELECT max(m.n) FROM dblock_history m)
