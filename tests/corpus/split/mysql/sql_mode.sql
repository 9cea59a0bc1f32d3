SET sql_mode = 'STRICT_ALL_TABLES';
SELECT 'it\'s';
SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES');
SELECT "it", '\\', '\n';
SELECT "it\"s;";
