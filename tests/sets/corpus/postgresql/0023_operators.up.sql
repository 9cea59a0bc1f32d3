CREATE FUNCTION differ(int, int) RETURNS boolean LANGUAGE sql AS $$ SELECT $1 <> $2 $$;
CREATE OPERATOR <#> (LEFTARG = int, RIGHTARG = int, PROCEDURE = differ);
CREATE OPERATOR @-@ (LEFTARG = int, RIGHTARG = int, FUNCTION = differ);
CREATE AGGREGATE longest(text) (SFUNC = textcat, STYPE = text, INITCOND = ';');
CREATE TABLE computed AS SELECT 1 <#> 2 AS a, 3 @-@ 3 AS b, 2 ^ -1 AS c, (ARRAY[[1, 2], [3, 4]])[2][1] AS d,
  '{"a": ";"}'::jsonb @> '{"a": ";"}' AS e, 'x' || ';' AS f  , '7' !~~ '8' AS g
  WHERE false;
