-- The history as one SQLite file. Times are nanoseconds since 1970 where a trace's order hangs on them, and seconds
-- where they name a bucket. Ids are the 16 bytes of a ULID. Pages are walked by (at_ns, id), newest first.
PRAGMA user_version = 1;

-- Words that many traces share, each once, with how many traces carry it: an event, a dialect, a project, a verdict,
-- a hook, an outcome. The count says which of several conditions is the rarest.
CREATE TABLE names (
    id     INTEGER PRIMARY KEY,
    kind   TEXT    NOT NULL,
    value  TEXT    NOT NULL,
    traces INTEGER NOT NULL,
    UNIQUE (kind, value)
) STRICT;

CREATE TABLE traces (
    seq                 INTEGER PRIMARY KEY,
    id                  BLOB    NOT NULL UNIQUE,
    at_ns               INTEGER NOT NULL,
    took_ms             REAL    NOT NULL,
    dialect             INTEGER NOT NULL,
    event               INTEGER NOT NULL,
    project             INTEGER NOT NULL,
    origin              TEXT    NOT NULL,
    session             TEXT,
    agent               TEXT,
    tool                TEXT,
    verdict             TEXT,             -- JSON; NULL for a bare `proceed`
    notices             TEXT,             -- JSON; NULL for none
    about               TEXT    NOT NULL,
    outcomes            TEXT    NOT NULL, -- one letter a step
    reasons             TEXT,             -- JSON; NULL when no step was skipped
    reply_code          INTEGER NOT NULL,
    redacted            INTEGER NOT NULL,
    bodies_removed_days INTEGER           -- NULL while the body is there
) STRICT;
CREATE INDEX traces_by_time ON traces (at_ns, id);
CREATE INDEX traces_with_body ON traces (at_ns, id) WHERE bodies_removed_days IS NULL;

-- Which names a trace carries, in the order pages are walked.
CREATE TABLE marks (
    name  INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    id    BLOB    NOT NULL,
    seq   INTEGER NOT NULL,
    PRIMARY KEY (name, at_ns, id)
) STRICT, WITHOUT ROWID;

-- A hook as it stood when it was part of a chain: another definition or place is another row.
CREATE TABLE hooks (
    id         INTEGER PRIMARY KEY,
    project    TEXT    NOT NULL, -- '' for the person's own files
    hook       TEXT    NOT NULL,
    definition TEXT    NOT NULL,
    dialect    TEXT    NOT NULL,
    event      TEXT    NOT NULL,
    label      TEXT    NOT NULL,
    handler    TEXT    NOT NULL,
    layer      TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    line       INTEGER NOT NULL,
    UNIQUE (hook, project, definition, dialect, event, label, handler, layer, path, line)
) STRICT;

CREATE TABLE steps (
    seq      INTEGER NOT NULL,
    n        INTEGER NOT NULL, -- the step's place in the trace, from 0
    hook     INTEGER NOT NULL,
    position INTEGER,
    outcome  INTEGER NOT NULL,
    reason   TEXT,
    took_us  INTEGER NOT NULL,
    gates    INTEGER NOT NULL, -- how many are on record; negative when the last of them failed
    rest     TEXT,             -- JSON: what outlives the body; NULL for nothing
    PRIMARY KEY (seq, n)
) STRICT, WITHOUT ROWID;

-- The whole trace as it was spooled, until retention takes it.
CREATE TABLE bodies (
    seq  INTEGER PRIMARY KEY,
    json TEXT NOT NULL
) STRICT;

-- Rollups: what a hook did in a minute, an hour, a day.
CREATE TABLE metrics (
    span  INTEGER NOT NULL, -- seconds
    start INTEGER NOT NULL, -- seconds since 1970
    owner INTEGER NOT NULL, -- hooks.id
    tally BLOB    NOT NULL,
    PRIMARY KEY (span, start, owner)
) STRICT, WITHOUT ROWID;

-- The same for all of a project's steps together.
CREATE TABLE activity (
    span  INTEGER NOT NULL,
    start INTEGER NOT NULL,
    owner INTEGER NOT NULL, -- names.id of kind project
    tally BLOB    NOT NULL,
    PRIMARY KEY (span, start, owner)
) STRICT, WITHOUT ROWID;

-- How far each spool file has been imported.
CREATE TABLE spool_files (
    name     TEXT PRIMARY KEY,
    imported INTEGER NOT NULL, -- bytes
    unread   INTEGER NOT NULL  -- complete lines that are no trace
) STRICT, WITHOUT ROWID;

-- Counters that outlive a process.
CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
