-- history_atlas: a row for each file, and how many of its statements were run (0 of 0 if a person set it). The
-- row of Atlas's own begins with a dot. The type has bits: 1, a baseline, of which all below it are applied.
SELECT NULL AS version, version AS code, description AS name,
  CASE WHEN applied < total THEN 0 WHEN type IN (1, 5) THEN 2 ELSE 1 END AS kind, NULL AS checksum
FROM atlas_schema_revisions
WHERE version NOT LIKE '.%'
ORDER BY version
