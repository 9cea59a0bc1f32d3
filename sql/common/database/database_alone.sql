-- database_alone: of a server this is not asked.
SELECT 1
