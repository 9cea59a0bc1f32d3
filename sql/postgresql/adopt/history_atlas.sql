-- history_atlas: as in sql/common, but the table may be in a schema of its own, as Atlas makes it where the URL
-- names none; a name in a text is the only one that need not be there.
SELECT NULL::bigint AS version, r.version AS code, r.description AS name,
  CASE WHEN r.applied < r.total THEN 0 WHEN r.type IN (1, 5) THEN 2 ELSE 1 END::bigint AS kind,
  NULL::text AS checksum
FROM XMLTABLE('/table/row' PASSING query_to_xml(format('SELECT * FROM %s',
    coalesce(to_regclass('atlas_schema_revisions'), to_regclass('atlas_schema_revisions.atlas_schema_revisions'))),
    false, false, '')
  COLUMNS version text, description text, type bigint, applied bigint, total bigint) r
WHERE r.version NOT LIKE '.%'
ORDER BY r.version
