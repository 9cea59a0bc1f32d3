-- +goose Up
CREATE TABLE second (id INT);

-- +goose Down
DROP TABLE second;
