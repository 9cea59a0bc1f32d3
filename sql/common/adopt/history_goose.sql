-- history_goose: goose adds a row for each run, up or down: the last one of a version counts. It begins with
-- a version 0.
SELECT g.version_id, NULL AS code, NULL AS name, 1 AS kind, NULL AS checksum
FROM goose_db_version g
WHERE g.version_id > 0 AND g.is_applied
  AND NOT EXISTS (SELECT 1 FROM goose_db_version l WHERE l.version_id = g.version_id AND l.id > g.id)
ORDER BY g.version_id
