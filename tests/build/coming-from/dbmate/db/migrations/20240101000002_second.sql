-- migrate:up
CREATE TABLE second (id INT);

-- migrate:down
DROP TABLE second;
