//! The lifecycle maps of the dialects for the window, and the activity of their events.

use hookwright_model::Bilingual;
use hookwright_model::lifecycle_map::{EdgeEnd, LabelSide, LifecycleMap, MapEdge, MapLabel, Rect};
use hookwright_model::trace::TraceRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::millis::Millis;

use crate::dto::is_zero;

dto! {
    /// The lifecycle map of a dialect. Positions are CSS pixels; the upper left corner is (0, 0). Empty if the dialect
    /// has no map.
    struct MapInfo {
        /// Width of the whole map, in pixels.
        width: u16,
        /// Height of the whole map, in pixels.
        height: u16,
        /// Frames around boxes that belong together. They are drawn first.
        frames: Vec<MapBox>,
        /// The boxes of the events, in reading order.
        events: Vec<MapNode>,
        /// The actions of the agent between the events.
        moments: Vec<MapBox>,
        /// The lines from one box to another.
        lines: Vec<MapEdgeInfo>,
    }
    /// The position and size of a box, in pixels.
    struct MapArea {
        /// Left edge, in pixels.
        x: u16,
        /// Upper edge, in pixels.
        y: u16,
        /// Width, in pixels.
        width: u16,
        /// Height, in pixels.
        height: u16,
    }
    /// A box with a title: a frame, or an action of the agent.
    struct MapBox {
        /// Position and size of the box.
        area: MapArea,
        /// The title in both languages.
        title: Bilingual<String>,
    }
    /// The box of one event.
    struct MapNode {
        /// The event, as the dialect spells it.
        event: String,
        /// Position and size of the box.
        area: MapArea,
    }
    /// A line from one box to another.
    struct MapEdgeInfo {
        /// The corners, both ends included, each `[x, y]`.
        points: Vec<[u16; 2]>,
        /// Whether the line ends with an arrow. Otherwise another line continues it.
        arrow: bool,
        /// The text next to the line.
        label: Option<MapLabelInfo>,
    }
    /// The text next to a line.
    struct MapLabelInfo {
        /// The anchor on the baseline of the text, in pixels from the left.
        x: u16,
        /// The baseline of the text, in pixels from the top.
        y: u16,
        /// Which part of the text is at the anchor.
        side: MapSide,
        /// The text in both languages.
        text: Bilingual<String>,
    }

    /// The request of `history.moments`.
    struct MomentsRequest {
        /// The project directory.
        project: String,
        /// The id of the dialect, such as `jcli`.
        dialect: String,
        /// The length of the period in which events are counted, in milliseconds before now.
        since_ms: Millis,
    }
    /// The activity of every event of a dialect.
    struct MomentsDoc {
        /// One row for each event, in the order of the lifecycle.
        moments: Vec<EventActivityRow>,
        /// Recorded events that are not in this result yet; left out if there are none.
        #[serde(default, skip_serializing_if = "is_zero")] #[ts(as = "Option<u32>", optional)]
        waiting: u32,
    }
    /// The activity of one event.
    struct EventActivityRow {
        /// The event, as the dialect spells it.
        event: String,
        /// How often it fired in the period.
        traces: u32,
        /// How often it blocked the agent in the period.
        #[serde(rename = "held")]
        blocked: u32,
        /// The newest trace of the event, even if it is older than the period.
        last: Option<TraceRow>,
    }
}

/// Which part of a label is at its anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum MapSide {
    /// The label starts at the anchor.
    Start,
    /// The middle of the label is at the anchor.
    Middle,
    /// The label ends at the anchor.
    End,
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
                .actions
                .iter()
                .map(|action| titled(action.area, action.title))
                .collect(),
            lines: map.edges.iter().map(map_edge).collect(),
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
        arrow: line.end == EdgeEnd::Arrow,
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
