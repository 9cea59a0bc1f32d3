-- From here on everybody may write to {table} without a fence.
DROP TRIGGER {insert_trigger};
DROP TRIGGER {update_trigger};
DROP TRIGGER {delete_trigger};
DROP PROCEDURE {procedure};
