-- history_knex: a row for each file, by its name.
SELECT NULL AS version, name AS code, NULL AS name, 1 AS kind, NULL AS checksum
FROM knex_migrations
ORDER BY id
