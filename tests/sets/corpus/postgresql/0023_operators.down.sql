DROP TABLE IF EXISTS computed;
DROP AGGREGATE longest(text);
DROP OPERATOR @-@ (int, int);
DROP OPERATOR <#> (int, int);
DROP FUNCTION differ(int, int);
