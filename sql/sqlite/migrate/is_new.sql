-- is_new: 1 if the file holds nothing yet: then it is ours to fill.
SELECT count(*) = 0 FROM sqlite_master
