//! The words of traces, for a search: which texts they come from, how they are cut, and how they are written.
//!
//! The idle writer fills the table behind the import. A word is a run of letters and digits in lower case; each Chinese,
//! Japanese or Korean character is a word of its own, because these scripts have no spaces.

use hookwright_model::Trace;
use jiff::Timestamp;
use serde_json::Value;
use sqlx::SqliteConnection;

use crate::blocks::{BlockPart, read_block, trace_at};
use crate::error::StoreError;
use crate::fetch::read_old_body;
use crate::insert::to_json;
use crate::open::Db;
use crate::spool_reader::parse_line;
use crate::store::Store;
use crate::summary::{ARGUMENT_FIELDS, tool_name};
use crate::transaction::Transaction;

/// At most so many bytes of a trace are cut into words.
const MAX_TEXT_BYTES: usize = 16 << 10;
/// Of each stream, so many bytes at its start.
const MAX_STREAM_BYTES: usize = 4 << 10;
/// The counter of the last `traces.seq` whose words are written.
const SEARCHED: &str = "searched";

impl Store {
    /// Writes the words of the next traces, at most `limit`. Returns how many traces that were.
    ///
    /// # Errors
    /// The database cannot be used or written, or was found damaged.
    pub async fn index_words(&self, limit: u32) -> Result<u64, StoreError> {
        let Some(db) = self.db().await else {
            return Ok(0);
        };
        let indexed = self.index_next(&db, limit).await;
        self.check_result(&db, indexed).await
    }

    /// The time until which the words of every trace are written; `None` if of none.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn searchable_until(&self) -> Result<Option<Timestamp>, StoreError> {
        let db = self.reading_db().await?;
        let sql = "SELECT at_ns FROM traces WHERE seq <= (SELECT value FROM counters WHERE name = ?) ORDER BY seq DESC LIMIT 1";
        let at = sqlx::query_scalar(sql).bind(SEARCHED).fetch_optional(&db.readers).await;
        let at: Option<i64> = self.check_result(&db, at).await?;
        Ok(at.and_then(|at| Timestamp::from_nanosecond(i128::from(at)).ok()))
    }

    async fn index_next(&self, db: &Db, limit: u32) -> Result<u64, sqlx::Error> {
        let Some(writer) = &db.writer else { return Ok(0) };
        // Reading and cutting are outside of the transaction, so that imports do not wait for them.
        let mut reader = db.readers.acquire().await?;
        let next = next_traces(&mut reader, limit).await?;
        let Some(last) = next.last().map(|it| it.seq) else {
            return Ok(0);
        };
        let count = next.len() as u64;
        let words = self.words_of(&mut reader, next).await?;
        drop(reader);
        let mut transaction = Transaction::begin_write(writer).await?;
        let result = write_words(&mut transaction, &words, last).await;
        transaction.finish(result).await.map(|()| count)
    }

    /// The words of traces, each with its `seq`. Traces without a body have none.
    async fn words_of(
        &self,
        connection: &mut SqliteConnection,
        traces: Vec<BodyPlace>,
    ) -> Result<Vec<(i64, String)>, sqlx::Error> {
        let mut words = Vec::new();
        let mut block: Option<(i64, Option<Vec<u8>>)> = None;
        for BodyPlace { seq, part } in traces {
            let trace = match part {
                Some(part) => {
                    let data = match block.take_if(|(id, _)| *id == part.block) {
                        Some((_, data)) => data,
                        None => read_block(connection, part.block).await?,
                    };
                    let trace = data.as_ref().and_then(|data| trace_at(data, part, &self.catalog));
                    block = Some((part.block, data));
                    trace
                }
                None => read_old_body(connection, seq)
                    .await?
                    .and_then(|json| parse_line(json.as_bytes(), &self.catalog)),
            };
            words.extend(trace.map(|trace| (seq, tokens(&search_text(&trace)))));
        }
        Ok(words)
    }
}

/// A trace, and where its body is.
struct BodyPlace {
    seq: i64,
    part: Option<BlockPart>,
}

/// `seq`, `block`, `offset` and `length` of a trace.
type BodyRow = (i64, Option<i64>, Option<i64>, Option<i64>);

async fn next_traces(connection: &mut SqliteConnection, limit: u32) -> Result<Vec<BodyPlace>, sqlx::Error> {
    let rows: Vec<BodyRow> = sqlx::query_as(
        "SELECT seq, block, \"offset\", length FROM traces \
         WHERE seq > coalesce((SELECT value FROM counters WHERE name = ?), 0) ORDER BY seq LIMIT ?",
    )
    .bind(SEARCHED)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    let place = |(seq, block, offset, length): BodyRow| BodyPlace {
        seq,
        part: block
            .zip(offset)
            .zip(length)
            .map(|((block, offset), length)| BlockPart { block, offset, length }),
    };
    Ok(rows.into_iter().map(place).collect())
}

async fn write_words(connection: &mut SqliteConnection, words: &[(i64, String)], last: i64) -> Result<(), sqlx::Error> {
    // Between reading and writing, a trace may have been removed or replaced by a later version.
    sqlx::query(
        "INSERT INTO search (rowid, words) SELECT t.seq, j.value ->> 1 FROM json_each(?) j \
         CROSS JOIN traces t ON t.seq = j.value ->> 0 \
         WHERE t.bodies_removed_days IS NULL AND t.seq > coalesce((SELECT value FROM counters WHERE name = ?), 0)",
    )
    .bind(to_json(&words))
    .bind(SEARCHED)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO counters (name, value) VALUES (?, ?) \
         ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
    )
    .bind(SEARCHED)
    .bind(last)
    .execute(connection)
    .await
    .map(drop)
}

/// The text of a trace that a search finds: tool and arguments, the user's text, reasons, and the start of each stream.
fn search_text(trace: &Trace) -> String {
    let mut text = SearchText::default();
    text.add(tool_name(trace).unwrap_or_default());
    for field in ARGUMENT_FIELDS.iter().chain(&PROMPT_FIELDS) {
        trace
            .payload_before
            .get(*field)
            .into_iter()
            .for_each(|value| text.add_value(value));
    }
    text.add(trace.verdict.reason.as_deref().unwrap_or_default());
    for step in &trace.steps {
        text.add(step.reason.as_deref().unwrap_or_default());
        step.gates
            .iter()
            .for_each(|gate| text.add(gate.why.as_deref().unwrap_or_default()));
        step.attempts
            .iter()
            .for_each(|attempt| text.add_stream(&attempt.stderr));
    }
    for attempt in trace.steps.iter().flat_map(|step| &step.attempts) {
        text.add_stream(&attempt.stdout);
        text.add_stream(&attempt.stdin);
    }
    text.0
}

/// Payload fields with a text of the user.
const PROMPT_FIELDS: [&str; 3] = ["user_input", "prompt", "task_description"];

/// A text of at most [`MAX_TEXT_BYTES`].
#[derive(Default)]
struct SearchText(String);

impl SearchText {
    fn add(&mut self, text: &str) {
        let room = MAX_TEXT_BYTES.saturating_sub(self.0.len() + 1);
        if room > 0 && !text.is_empty() {
            self.0.push_str(&text[..text.floor_char_boundary(room)]);
            self.0.push(' ');
        }
    }

    fn add_stream(&mut self, text: &str) {
        self.add(&text[..text.floor_char_boundary(MAX_STREAM_BYTES)]);
    }

    fn add_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add(text),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => self.add(&value.to_string()),
        }
    }
}

/// Cuts a text into words, in lower case and separated by blanks. The tokenizer of the table splits only at these.
pub(crate) fn tokens(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    for char in text.chars() {
        let single = is_cjk(char);
        let is_word = char.is_alphanumeric() && !single;
        if (single || is_word && !in_word) && !out.is_empty() {
            out.push(' ');
        }
        if single || is_word {
            out.extend(char.to_lowercase());
        }
        in_word = is_word;
    }
    out
}

/// Whether a character is of a script without spaces between words: Chinese, Japanese or Korean.
fn is_cjk(char: char) -> bool {
    matches!(char as u32,
        0x1100..=0x11ff | 0x2e80..=0x2fdf | 0x3005..=0x3007 | 0x3040..=0x318f | 0x31a0..=0x31bf | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xa960..=0xa97f | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_single_cjk_characters_are_tokens() {
        assert_eq!(tokens("rm -rf /tmp/Build_42"), "rm rf tmp build 42");
        assert_eq!(tokens("删除文件 rm文件x"), "删 除 文 件 rm 文 件 x");
        assert_eq!(tokens("Größe, ÉCOLE; 한국어"), "größe école 한 국 어");
        assert_eq!(tokens(" ,;- \n"), "");
    }

    #[test]
    fn the_text_of_a_trace_is_limited() {
        let mut trace = crate::samples::trace(1, "e");
        std::sync::Arc::make_mut(&mut trace.payload_before).insert("user_input".to_owned(), "危".repeat(20_000).into());
        std::sync::Arc::make_mut(&mut trace.payload_before).insert("tool_name".to_owned(), "Bash".into());
        let text = search_text(&trace);
        assert!(
            text.len() <= MAX_TEXT_BYTES && text.starts_with("Bash 危"),
            "{}",
            text.len()
        );
    }
}
