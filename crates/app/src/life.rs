//! The life maps of the dialects for the window, and what became of their events.

use std::path::Path;

use hookwright_model::lifecycle_map::{LabelSide, LifecycleMap, LineEnd, MapEdge, MapLabel, Rect};
use hookwright_model::trace::TraceRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::App;
use crate::dto::{Bilingual, dto, none};
use crate::fault::Fault;
use crate::history::small;
use crate::hooks::{both, find_dialect};

dto! {
    /// The picture of an agent's life; positions in CSS pixels, the upper left corner is (0, 0). Empty where nobody has
    /// drawn one.
    struct MapInfo {
        /// Width of the whole picture.
        width: u16,
        /// Height of the whole picture.
        height: u16,
        /// What belongs together, drawn first.
        frames: Vec<MapBox>,
        /// The events, in reading order.
        events: Vec<MapNode>,
        /// What the agent does between them.
        moments: Vec<MapBox>,
        /// From one box to another.
        lines: Vec<MapWay>,
    }
    /// A rectangle.
    struct MapArea {
        /// Left edge.
        x: u16,
        /// Upper edge.
        y: u16,
        /// Width.
        width: u16,
        /// Height.
        height: u16,
    }
    /// A rectangle with a title.
    struct MapBox {
        /// Where.
        area: MapArea,
        /// Its title.
        title: Bilingual,
    }
    /// An event's box.
    struct MapNode {
        /// The event.
        event: String,
        /// Where.
        area: MapArea,
    }
    /// A way from one box to another.
    struct MapWay {
        /// Its corners, ends included, each `[x, y]`.
        points: Vec<[u16; 2]>,
        /// Whether an arrow stands at its end; otherwise another line carries it on.
        arrow: bool,
        /// Its words.
        label: Option<MapWords>,
    }
    /// A line's words.
    struct MapWords {
        /// Where on the base line, across.
        x: u16,
        /// The base line.
        y: u16,
        /// Which part of the words stands there.
        side: MapSide,
        /// The words.
        text: Bilingual,
    }

    /// `history.moments`
    struct MomentsRequest {
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// From when on events are counted, in milliseconds back.
        since_ms: f64,
    }
    /// What became of each event of a dialect.
    struct MomentsDoc {
        /// In the order of an agent's life.
        moments: Vec<MomentRow>,
        /// Recorded events that are not in this answer yet; left out when there are none.
        #[serde(default, skip_serializing_if = "none")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// What became of one event.
    struct MomentRow {
        /// Event.
        event: String,
        /// How often it was fired since then.
        traces: u32,
        /// How often the agent was held by it.
        held: u32,
        /// The newest one, however old.
        last: Option<TraceRow>,
    }
}

/// Which part of a label stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MapSide {
    /// Its begin.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl App {
    /// `history.moments`
    ///
    /// # Errors
    /// Unknown dialect, or the history cannot be read.
    pub async fn history_moments(&self, request: MomentsRequest) -> Result<MomentsDoc, Fault> {
        let card = find_dialect(&request.dialect)?.card();
        let events: Vec<&str> = card.events.iter().map(|event| event.name).collect();
        let project = self.around.absolute(Path::new(&request.project)).display().to_string();
        let store = self.history.reading().await?;
        let mut found = store
            .event_activity(&project, card.id, &events, self.ago(request.since_ms))
            .await?;
        let rows = events.iter().map(|event| {
            let moment = found.remove(*event).unwrap_or_default();
            MomentRow {
                event: (*event).to_owned(),
                traces: small(moment.traces),
                held: small(moment.blocked),
                last: moment.last,
            }
        });
        Ok(MomentsDoc {
            moments: rows.collect(),
            waiting: small(store.waiting()),
        })
    }
}

impl From<&LifecycleMap> for MapInfo {
    fn from(map: &LifecycleMap) -> Self {
        let titled = |area, title| MapBox {
            area: placed(area),
            title: both(title),
        };
        let nodes = map.events.iter().map(|node| MapNode {
            event: node.event.to_owned(),
            area: placed(node.area),
        });
        Self {
            width: map.size.0,
            height: map.size.1,
            frames: map.frames.iter().map(|frame| titled(frame.area, frame.title)).collect(),
            events: nodes.collect(),
            moments: map
                .moments
                .iter()
                .map(|moment| titled(moment.area, moment.title))
                .collect(),
            lines: map.lines.iter().map(way).collect(),
        }
    }
}

fn placed(area: Rect) -> MapArea {
    let Rect { x, y, width, height } = area;
    MapArea { x, y, width, height }
}

fn way(line: &MapEdge) -> MapWay {
    MapWay {
        points: line.points.iter().map(|&(x, y)| [x, y]).collect(),
        arrow: line.end == LineEnd::Arrow,
        label: line.label.as_ref().map(words),
    }
}

fn words(label: &MapLabel) -> MapWords {
    MapWords {
        x: label.at.0,
        y: label.at.1,
        side: match label.side {
            LabelSide::Start => MapSide::Start,
            LabelSide::Middle => MapSide::Middle,
            LabelSide::End => MapSide::End,
        },
        text: both(label.text),
    }
}
