-- optimistic_time: a time as a version, in microseconds since 1970: a number, or a text of exactly this
-- form; NULL: neither. Then the next one, in the same form, which is always later.
(CASE
    WHEN typeof(:column) = 'integer' THEN :column
    WHEN :column GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]'
    THEN CAST(strftime('%s', substr(:column, 1, 19)) AS INTEGER) * 1000000
         + CAST(substr(:column, 21) AS INTEGER)
END)
-- step
(CASE
    WHEN typeof(:column) = 'integer' THEN max($wall, :column + 1)
    WHEN $wall > CAST(strftime('%s', substr(:column, 1, 19)) AS INTEGER) * 1000000
                 + CAST(substr(:column, 21) AS INTEGER)
    THEN strftime('%Y-%m-%d %H:%M:%S', $wall / 1000000, 'unixepoch')
         || printf('.%06d', $wall % 1000000)
    WHEN substr(:column, 21) < '999999'
    THEN substr(:column, 1, 20) || printf('%06d', substr(:column, 21) + 1)
    ELSE datetime(substr(:column, 1, 19), '+1 second') || '.000000'
END)
