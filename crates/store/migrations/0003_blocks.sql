-- Names of tables and columns that say what is in them, bodies in blocks, and the words of a search.
PRAGMA user_version = 3;

-- The values that traces can be found by, each once, with how many traces carry it.
ALTER TABLE names RENAME TO tag_values;

-- The events, hooks, rare outcomes and rare verdicts of a trace, in the order in which pages are read. Traces of
-- schema 2 have more kinds.
ALTER TABLE marks RENAME TO trace_tags;

-- `hooks.id`
ALTER TABLE metrics RENAME COLUMN owner TO hook_id;

-- `tag_values.id` of kind `project`: this rollup is by project.
ALTER TABLE activity RENAME COLUMN owner TO project_id;

-- The spool lines of traces that were imported together, compressed together by zstd. `id` is the `seq` of the first
-- of them; they follow each other. `at_ns` is the time of the newest one. Bodies of schema 2 stay in `bodies` until
-- retention removes them.
CREATE TABLE blocks (
    id    INTEGER PRIMARY KEY,
    at_ns INTEGER NOT NULL,
    data  BLOB    NOT NULL
) STRICT;
CREATE INDEX blocks_by_time ON blocks (at_ns);

-- Where the line of a trace is: the block, and the bytes of its decompressed data. NULL without one.
ALTER TABLE traces ADD COLUMN block INTEGER;
ALTER TABLE traces ADD COLUMN "offset" INTEGER;
ALTER TABLE traces ADD COLUMN length INTEGER;

-- Blocks are removed as a whole, so no index of the traces with a body is needed. Pages of one project or dialect are
-- read by an index, not by tags.
DROP INDEX traces_with_body;
CREATE INDEX traces_by_project ON traces (project, at_ns, id);
CREATE INDEX traces_by_dialect ON traces (dialect, at_ns, id);

-- The newest time of a trace with the hook. Retention removes hooks by it.
ALTER TABLE hooks ADD COLUMN used_ns INTEGER NOT NULL DEFAULT 0;
UPDATE hooks SET used_ns = unixepoch() * 1000000000;

-- The words of a trace by `traces.seq`. The text is cut into tokens before it is written. The counter `searched` is
-- the last `seq` whose words are here.
CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, tokenize='ascii');

-- How many traces an event has in an hour (hours since 1970), and how many of them blocked the agent. The lifecycle map
-- counts by them, and finds the newest trace of an event without reading others. The three ids are of `tag_values`.
CREATE TABLE event_counts (
    project INTEGER NOT NULL,
    dialect INTEGER NOT NULL,
    event   INTEGER NOT NULL,
    hour    INTEGER NOT NULL,
    traces  INTEGER NOT NULL,
    blocked INTEGER NOT NULL,
    PRIMARY KEY (project, dialect, event, hour)
) STRICT, WITHOUT ROWID;
INSERT INTO event_counts (project, dialect, event, hour, traces, blocked)
SELECT project, dialect, event, at_ns / 3600000000000 - (at_ns % 3600000000000 < 0), count(*),
       sum(coalesce(verdict ->> 'kind', 'proceed') NOT IN ('proceed', 'approve', 'respond'))
FROM traces GROUP BY 1, 2, 3, 4;

-- The planner's figures do not follow a renamed table.
PRAGMA analysis_limit = 400;
ANALYZE tag_values;
ANALYZE trace_tags;
DELETE FROM sqlite_stat1 WHERE tbl IN ('names', 'marks');
