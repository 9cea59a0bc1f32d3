-- +goose Up
CREATE TABLE third (id INT);

-- +goose Down
DROP TABLE third;
