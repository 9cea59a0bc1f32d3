-- +goose Up
-- +goose StatementBegin
CREATE TABLE a (id INT);
-- +goose StatementEnd
