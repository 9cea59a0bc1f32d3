CREATE TABLE a (x text); -- +goose Up
INSERT INTO a VALUES ('
-- +goose Down
');
CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$
-- migrate:down
SELECT 'x'
$$;
