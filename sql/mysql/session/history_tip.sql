-- history_tip: the newest history of this database, and what names the server now; a row. Is the history
-- that the client knows among those that the database has had?
-- $1 id of that history
-- The nodes of a cluster are one server. MariaDB before 10.11.9 has no number of its own.
SELECT COALESCE(t.n, 0) AS n, COALESCE(t.id, '') AS id, COALESCE(t.facts, '') AS noted, f.facts,
       EXISTS (SELECT 1 FROM dblock_history k WHERE k.id = $1) AS known
  FROM (SELECT COALESCE((SELECT MAX(NULLIF(s.variable_value, ''))
                           FROM /*M! information_schema.global_status */ /*!80000 performance_schema.global_status */ s
                          WHERE s.variable_name = 'wsrep_cluster_state_uuid'),
                        MAX(CASE WHEN LOWER(v.variable_name) = 'group_replication_group_name'
                                 THEN NULLIF(v.variable_value, '') END),
                        MAX(CASE WHEN LOWER(v.variable_name) IN ('server_uuid', 'server_uid')
                                 THEN NULLIF(v.variable_value, '') END),
                        CONCAT(@@hostname, ':', @@port, '/', @@server_id)) AS facts
          FROM /*M! information_schema.global_variables */ /*!80000 performance_schema.global_variables */ v
         WHERE v.variable_name IN ('group_replication_group_name', 'server_uuid', 'server_uid')) f
  LEFT JOIN dblock_history t ON t.n = (SELECT MAX(m.n) FROM dblock_history m)
