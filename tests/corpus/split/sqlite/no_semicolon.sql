SELECT 1; -- x
CREATE TABLE a (id INTEGER)
-- behind