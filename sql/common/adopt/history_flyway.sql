-- history_flyway: a row for each run. Repeatable ones have no version; of a baseline all below it are
-- applied; what was undone later is not.
SELECT NULL AS version, f.version AS code, f.description AS name,
  CASE WHEN NOT f.success THEN 0 WHEN f.type LIKE '%BASELINE' THEN 2 ELSE 1 END AS kind, NULL AS checksum
FROM flyway_schema_history f
WHERE f.version IS NOT NULL AND f.type NOT LIKE 'UNDO%' AND f.type <> 'DELETE'
  AND NOT EXISTS (SELECT 1 FROM flyway_schema_history u
                  WHERE u.version = f.version AND u.installed_rank > f.installed_rank
                    AND (u.type LIKE 'UNDO%' OR u.type = 'DELETE'))
ORDER BY f.installed_rank
