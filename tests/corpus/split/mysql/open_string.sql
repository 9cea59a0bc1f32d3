SELECT 'a\\';
SELECT 'it\';
SELECT 2;
