//! The lifecycle map: the drawing of all events of a dialect, of the agent's actions between them, and of the lines
//! that connect them.
//!
//! The map is data, so that the window can draw a dialect that it has no code for. Positions are CSS pixels at 100 % on
//! a grid of [`GRID`] pixels. The upper left corner is (0, 0). The window writes the contents of an event's box: its
//! name, what hooks may do there, how many hooks listen, and their last outcomes.

use crate::event::Bilingual;

/// The grid in pixels: every position and size is a multiple of it.
pub const GRID: u16 = 2;

/// Height of an event's box, in pixels.
pub const EVENT_HEIGHT: u16 = 48;

/// Height of an action's pill, in pixels.
pub const ACTION_HEIGHT: u16 = 28;

/// A point (x, y), or a size (width, height), in pixels.
pub type Point = (u16, u16);

/// The lifecycle map of one dialect. Boxes do not overlap, no line crosses a box, and every event of the card is in the
/// map once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifecycleMap {
    /// Width and height of the whole map.
    pub size: Point,
    /// Frames around boxes that belong together. They are drawn first.
    pub frames: &'static [MapFrame],
    /// The boxes of the events, in reading order.
    pub events: &'static [MapEvent],
    /// The pills of the agent's actions between the events.
    pub actions: &'static [MapAction],
    /// The lines from one box to another.
    pub edges: &'static [MapEdge],
}

impl LifecycleMap {
    /// A map without contents, for a dialect that has none.
    pub const EMPTY: Self = Self {
        size: (0, 0),
        frames: &[],
        events: &[],
        actions: &[],
        edges: &[],
    };
}

/// The position and size of a box, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Left edge, in pixels.
    pub x: u16,
    /// Upper edge, in pixels.
    pub y: u16,
    /// Width, in pixels.
    pub width: u16,
    /// Height, in pixels.
    pub height: u16,
}

/// A frame around one part of the lifecycle, with its title on the upper edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapFrame {
    /// Position and size of the frame.
    pub area: Rect,
    /// The title on the upper edge.
    pub title: Bilingual,
}

/// The box of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEvent {
    /// The event, as [`crate::EventSpec::name`] of the card spells it.
    pub event: &'static str,
    /// Position and size of the box.
    pub area: Rect,
}

/// Something that the agent does between events, drawn as a pill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapAction {
    /// Position and size of the pill.
    pub area: Rect,
    /// What the agent does, such as `run the tool`.
    pub title: Bilingual,
}

/// A line from one box to another. Every part of it is horizontal or vertical.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEdge {
    /// The corners, both ends included; at least two points.
    pub points: &'static [Point],
    /// How the line ends.
    pub end: EdgeEnd,
    /// The text next to the line.
    pub label: Option<MapLabel>,
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeEnd {
    /// At a box, with an arrow.
    Arrow,
    /// In another line, without an arrow. That line continues it.
    Joins,
}

/// The text next to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapLabel {
    /// The anchor: a point on the baseline of the text.
    pub at: Point,
    /// Which part of the text is at the anchor.
    pub side: LabelSide,
    /// The text in both languages.
    pub text: Bilingual,
}

/// Which part of a label is at its anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelSide {
    /// The label starts at the anchor.
    Start,
    /// The middle of the label is at the anchor.
    Middle,
    /// The label ends at the anchor.
    End,
}

impl MapEvent {
    /// A box of the height [`EVENT_HEIGHT`], with its upper left corner at (`x`, `y`).
    #[must_use]
    pub const fn at(event: &'static str, x: u16, y: u16, width: u16) -> Self {
        let height = EVENT_HEIGHT;
        Self {
            event,
            area: Rect { x, y, width, height },
        }
    }
}

impl MapAction {
    /// A pill of the height [`MOMENT_HEIGHT`], with its upper left corner at (`x`, `y`).
    #[must_use]
    pub const fn at(x: u16, y: u16, width: u16, en: &'static str, zh: &'static str) -> Self {
        let height = ACTION_HEIGHT;
        Self {
            area: Rect { x, y, width, height },
            title: Bilingual { en, zh },
        }
    }
}

impl MapFrame {
    /// A frame from its upper left corner, its size and its title in both languages.
    #[must_use]
    pub const fn at((x, y): Point, (width, height): Point, en: &'static str, zh: &'static str) -> Self {
        Self {
            area: Rect { x, y, width, height },
            title: Bilingual { en, zh },
        }
    }
}

impl MapEdge {
    /// A line with an arrow at its end.
    #[must_use]
    pub const fn to(points: &'static [Point]) -> Self {
        Self {
            points,
            end: EdgeEnd::Arrow,
            label: None,
        }
    }

    /// A line without an arrow that ends in another line.
    #[must_use]
    pub const fn joins(points: &'static [Point]) -> Self {
        Self {
            points,
            end: EdgeEnd::Joins,
            label: None,
        }
    }

    /// The same line with a label in both languages.
    #[must_use]
    pub const fn with_label(self, at: Point, side: LabelSide, en: &'static str, zh: &'static str) -> Self {
        let text = Bilingual { en, zh };
        Self {
            label: Some(MapLabel { at, side, text }),
            ..self
        }
    }
}
