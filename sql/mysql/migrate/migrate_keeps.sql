-- migrate_keeps: how many tables of this database keep what a transaction wrote when it is rolled back, as
-- MyISAM's do.
SELECT COUNT(*)
FROM information_schema.tables AS t
LEFT JOIN information_schema.engines AS e ON e.engine = t.engine
WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND COALESCE(e.transactions, 'NO') <> 'YES'
