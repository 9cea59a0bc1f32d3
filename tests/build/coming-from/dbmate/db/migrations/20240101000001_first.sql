-- migrate:up
CREATE TABLE first (id INT);

-- migrate:down
DROP TABLE first;
