-- history_node: node-pg-migrate has a row for each file, by its name.
SELECT NULL AS version, name AS code, NULL AS name, 1 AS kind, NULL AS checksum
FROM pgmigrations
ORDER BY id
