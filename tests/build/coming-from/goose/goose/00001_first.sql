-- +goose Up
CREATE TABLE first (id INT);

-- +goose Down
DROP TABLE first;
