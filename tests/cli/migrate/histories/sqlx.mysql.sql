-- sqlx v0.8.6-90-g9d6bf662, as sqlx-mysql/src/migrate.rs makes it
-- The checksum is SHA-384 of the file, here of CREATE TABLE first (id INT); (second, third) with its newline.
-- execution_time is in nanoseconds. The description is the rest of the file name, with spaces for _. success
-- = FALSE: begun and not ended, up or down, for MySQL commits in between.

CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);

INSERT INTO _sqlx_migrations ( version, description, success, checksum, execution_time )
VALUES ( 1, 'first', FALSE,
X'eb5e03f5b6dfc555219d5376422435c98bf7feab044267f83b3106310535a0f97645e59b36359963d651313366072a76',
-1 );
UPDATE _sqlx_migrations
SET success = TRUE
WHERE version = 1;
UPDATE _sqlx_migrations
SET execution_time = 1234567
WHERE version = 1;
INSERT INTO _sqlx_migrations ( version, description, success, checksum, execution_time )
VALUES ( 2, 'second', FALSE,
X'61e2ad354bf5374dc48687d65deb232dc99e1f1e5790ed00c4ce38970fe8498264f912bbb0b7aca07b52109a858a287f',
-1 );
UPDATE _sqlx_migrations
SET success = TRUE
WHERE version = 2;
UPDATE _sqlx_migrations
SET execution_time = 2234567
WHERE version = 2;
INSERT INTO _sqlx_migrations ( version, description, success, checksum, execution_time )
VALUES ( 3, 'third', FALSE,
X'23f32f7ec1eeddb4c515e9eb6efd73ad4b4fbacc83319ef27ddc8ba337677508f7666c3a0f1ff264b6a32c343f385209',
-1 );
UPDATE _sqlx_migrations
SET success = TRUE
WHERE version = 3;
UPDATE _sqlx_migrations
SET execution_time = 3234567
WHERE version = 3;
