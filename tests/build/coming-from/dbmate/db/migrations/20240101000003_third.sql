-- migrate:up
CREATE TABLE third (id INT);

-- migrate:down
DROP TABLE third;
