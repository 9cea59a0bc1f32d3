-- +goose NO TRANSACTION
-- +goose Up
-- +goose ENVSUB ON
CREATE TABLE ${TABLE_PREFIX}fourth (id INT);
-- +goose ENVSUB OFF
-- +goose StatementBegin
CREATE TRIGGER no_fourth BEFORE DELETE ON fourth
BEGIN
	SELECT 1;
END;
-- +goose StatementEnd

-- +goose Down
-- +goose ENVSUB ON
DROP TABLE ${TABLE_PREFIX}fourth;
-- +goose ENVSUB OFF
