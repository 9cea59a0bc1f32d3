-- history_diesel: a row for each folder: the digits of its date and time, as a text. The one of zeros is
-- diesel's own, on PostgreSQL.
SELECT NULL AS version, version AS code, NULL AS name, 1 AS kind, NULL AS checksum
FROM __diesel_schema_migrations
WHERE version <> '00000000000000'
ORDER BY version
