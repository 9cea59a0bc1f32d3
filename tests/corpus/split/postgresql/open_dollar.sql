SELECT $a$ $b$ $a$;
CREATE FUNCTION f() RETURNS int AS $body$
BEGIN
	RETURN 1;
END $Body$;
