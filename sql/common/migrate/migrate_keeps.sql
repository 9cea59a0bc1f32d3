-- migrate_keeps: how many tables keep what a transaction wrote when it is rolled back: none of this database.
SELECT 0
