-- history_rails: Rails and dbmate have a row for each file, with its number as a text.
SELECT NULL AS version, version AS code, NULL AS name, 1 AS kind, NULL AS checksum
FROM schema_migrations
ORDER BY version
