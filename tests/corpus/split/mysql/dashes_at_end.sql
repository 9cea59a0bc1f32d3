SELECT 1-- a comment
;
SELECT 5--;
