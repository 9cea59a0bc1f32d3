CREATE FUNCTION one() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	RETURN 1; -- '
END
$$;
CREATE FUNCTION two(text) RETURNS text LANGUAGE plpgsql AS $fn$
DECLARE s text := 'a;';
BEGIN
	EXECUTE $q$ SELECT $$;$$ || $1 $q$ INTO s USING $1;
	EXECUTE 'SELECT $f$;$f' || '$' INTO s;
	RETURN $$ $f$n$ $ $fn $Fn$ $$ || s;
END;
$fn$;
CREATE TABLE a$1$b (x$y int, c text DEFAULT $$it's;$$);
INSERT INTO a$1$b VALUES (1, $é$;$é$), (2, $_1$$_$;$_1$);
PREPARE p AS SELECT $1::int, $2::text;
