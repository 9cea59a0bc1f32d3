SELECT 'closed';
SELECT 'a', 'open;
SELECT 1;
