CREATE FUNCTION plain() RETURNS text LANGUAGE sql AS $$ SELECT 'a;b'; SELECT 'last'; $$;
CREATE FUNCTION tagged() RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  -- $$ is no end; nor is $bod$, nor $body
  RETURN $$it's; $body $$ || $q$ $$ $q$;
END;
$body$;
CREATE FUNCTION "größe"(int) RETURNS int LANGUAGE sql AS $größe$ SELECT $1 + 1; $größe$;
CREATE FUNCTION nested() RETURNS void LANGUAGE plpgsql AS $_$
BEGIN
  EXECUTE $x$ CREATE TABLE made (id int); INSERT INTO made VALUES (1); $x$;
END $_$;
SELECT nested();
CREATE TABLE a$b$c (a$1 int, "$$" text DEFAULT '$$;', c text DEFAULT $$don't; '$$);
INSERT INTO a$b$c VALUES (1);
CREATE FUNCTION old_style(int) RETURNS int AS 'SELECT $1; SELECT $1 -- ''; ''
' LANGUAGE sql;
