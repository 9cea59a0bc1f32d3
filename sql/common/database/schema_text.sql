-- schema_text: nothing, as a server's tables are dumped by its own program.
SELECT '', '' LIMIT 0
