SELECT 1;
SELECT 2
/* outer /* inner */ and then
;
SELECT 3;
