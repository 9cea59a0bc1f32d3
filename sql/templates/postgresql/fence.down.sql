-- From here on everybody may write to {table} without a fence.
DROP TRIGGER dblock_fence ON {table};
DROP FUNCTION {function}();
