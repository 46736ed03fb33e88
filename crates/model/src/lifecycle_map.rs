//! The picture of an agent's life: where each event stands, what happens between them, which way it goes.
//!
//! It is data, so that the window draws a dialect that it has never heard of. Positions are CSS pixels at 100 % on a grid
//! of [`GRID`]; the upper left corner is (0, 0). An event's box holds its name, what hooks may do there, how many listen,
//! and what they last came to: all of that is the window's to write.

use crate::event::Bilingual;

/// Every position and size is a multiple of this.
pub const GRID: u16 = 2;

/// Height of an event's box.
pub const EVENT_HEIGHT: u16 = 48;

/// Height of a moment's pill.
pub const MOMENT_HEIGHT: u16 = 28;

/// A point.
pub type Point = (u16, u16);

/// A dialect's map. Boxes do not overlap, no line runs through one, and every event of the card stands in it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifecycleMap {
    /// Width and height of the whole picture.
    pub size: Point,
    /// What belongs together, drawn first.
    pub frames: &'static [MapFrame],
    /// The events, in reading order.
    pub events: &'static [MapEvent],
    /// What the agent does between them.
    pub moments: &'static [MapAction],
    /// From one box to another.
    pub lines: &'static [MapEdge],
}

impl LifecycleMap {
    /// No picture.
    pub const EMPTY: Self = Self {
        size: (0, 0),
        frames: &[],
        events: &[],
        moments: &[],
        lines: &[],
    };
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: u16,
    /// Upper edge.
    pub y: u16,
    /// Width.
    pub width: u16,
    /// Height.
    pub height: u16,
}

/// A part of the agent's life, with its title on the upper edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapFrame {
    /// Where.
    pub area: Rect,
    /// Its name.
    pub title: Bilingual,
}

/// An event's box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEvent {
    /// The event of the card.
    pub event: &'static str,
    /// Where.
    pub area: Rect,
}

/// Something the agent does, as a pill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapAction {
    /// Where.
    pub area: Rect,
    /// What.
    pub title: Bilingual,
}

/// A way from one box to another. Every part of it is level or upright.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEdge {
    /// The corners, ends included; at least two.
    pub points: &'static [Point],
    /// How it ends.
    pub end: LineEnd,
    /// What it says.
    pub label: Option<MapLabel>,
}

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// With an arrow, at a box.
    Arrow,
    /// In another line, which carries it on.
    Joins,
}

/// A line's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapLabel {
    /// The base line's point that the words hold to.
    pub at: Point,
    /// Which end of the words that is.
    pub side: LabelSide,
    /// The words.
    pub text: Bilingual,
}

/// Which part of a label stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelSide {
    /// Its begin.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

impl MapEvent {
    /// A box of the usual height.
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
    /// A pill of the usual height.
    #[must_use]
    pub const fn at(x: u16, y: u16, width: u16, en: &'static str, zh: &'static str) -> Self {
        let height = MOMENT_HEIGHT;
        Self {
            area: Rect { x, y, width, height },
            title: Bilingual { en, zh },
        }
    }
}

impl MapFrame {
    /// A frame.
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
            end: LineEnd::Arrow,
            label: None,
        }
    }

    /// A line that ends in another one.
    #[must_use]
    pub const fn joins(points: &'static [Point]) -> Self {
        Self {
            points,
            end: LineEnd::Joins,
            label: None,
        }
    }

    /// The same line with words.
    #[must_use]
    pub const fn says(self, at: Point, side: LabelSide, en: &'static str, zh: &'static str) -> Self {
        let text = Bilingual { en, zh };
        Self {
            label: Some(MapLabel { at, side, text }),
            ..self
        }
    }
}
