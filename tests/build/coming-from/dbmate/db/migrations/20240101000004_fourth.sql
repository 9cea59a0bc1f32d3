-- migrate:up
CREATE TABLE fourth (id INT);

-- migrate:down
DROP TABLE fourth;
