//! The life maps of the dialects for the window, and what became of their events.

use std::path::Path;

use hookwright_model::lifecycle_map::{LabelSide, LifecycleMap, LineEnd, MapEdge, MapLabel, Rect};
use hookwright_model::trace::TraceRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::App;
use crate::dto::{dto, is_zero};
use crate::fault::Fault;
use crate::history::to_u32;
use crate::hooks::find_dialect;
use hookwright_model::Bilingual;

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
        lines: Vec<MapEdgeInfo>,
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
        title: Bilingual<String>,
    }
    /// An event's box.
    struct MapNode {
        /// The event.
        event: String,
        /// Where.
        area: MapArea,
    }
    /// A way from one box to another.
    struct MapEdgeInfo {
        /// Its corners, ends included, each `[x, y]`.
        points: Vec<[u16; 2]>,
        /// Whether an arrow stands at its end; otherwise another line carries it on.
        arrow: bool,
        /// Its words.
        label: Option<MapLabelInfo>,
    }
    /// A line's words.
    struct MapLabelInfo {
        /// Where on the base line, across.
        x: u16,
        /// The base line.
        y: u16,
        /// Which part of the words stands there.
        side: MapSide,
        /// The words.
        text: Bilingual<String>,
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
        moments: Vec<EventActivityRow>,
        /// Recorded events that are not in this answer yet; left out when there are none.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// What became of one event.
    struct EventActivityRow {
        /// Event.
        event: String,
        /// How often it was fired since then.
        traces: u32,
        /// How often the agent was held by it.
        #[serde(rename = "held")]
        blocked: u32,
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
        let project = self.env.absolute(Path::new(&request.project)).display().to_string();
        let store = self.history.open_for_reading().await?;
        let mut found = store
            .event_activity(&project, card.id, &events, self.time_before(request.since_ms))
            .await?;
        let rows = events.iter().map(|event| {
            let activity = found.remove(*event).unwrap_or_default();
            EventActivityRow {
                event: (*event).to_owned(),
                traces: to_u32(activity.traces),
                blocked: to_u32(activity.blocked),
                last: activity.last,
            }
        });
        Ok(MomentsDoc {
            moments: rows.collect(),
            waiting: to_u32(store.waiting()),
        })
    }
}

impl From<&LifecycleMap> for MapInfo {
    fn from(map: &LifecycleMap) -> Self {
        let titled = |area, title| MapBox {
            area: map_area(area),
            title: Bilingual::<String>::from(title),
        };
        let nodes = map.events.iter().map(|node| MapNode {
            event: node.event.to_owned(),
            area: map_area(node.area),
        });
        Self {
            width: map.size.0,
            height: map.size.1,
            frames: map.frames.iter().map(|frame| titled(frame.area, frame.title)).collect(),
            events: nodes.collect(),
            moments: map
                .moments
                .iter()
                .map(|action| titled(action.area, action.title))
                .collect(),
            lines: map.lines.iter().map(map_edge).collect(),
        }
    }
}

fn map_area(area: Rect) -> MapArea {
    let Rect { x, y, width, height } = area;
    MapArea { x, y, width, height }
}

fn map_edge(line: &MapEdge) -> MapEdgeInfo {
    MapEdgeInfo {
        points: line.points.iter().map(|&(x, y)| [x, y]).collect(),
        arrow: line.end == LineEnd::Arrow,
        label: line.label.as_ref().map(map_label),
    }
}

fn map_label(label: &MapLabel) -> MapLabelInfo {
    MapLabelInfo {
        x: label.at.0,
        y: label.at.1,
        side: match label.side {
            LabelSide::Start => MapSide::Start,
            LabelSide::Middle => MapSide::Middle,
            LabelSide::End => MapSide::End,
        },
        text: label.text.into(),
    }
}
