//! The rules that every lifecycle map follows, so that the window can draw it without checks.

use std::collections::BTreeMap;

use hookwright_dialects::all;
use hookwright_model::Bilingual;
use hookwright_model::lifecycle_map::{
    EVENT_HEIGHT, EdgeEnd, GRID, LabelSide, LifecycleMap, MapEdge, MapLabel, Point, Rect,
};

/// Space that an event's box needs in addition to its name, in pixels: margins and the count.
const NAME_PADDING: usize = 48;
/// Width of a character of an event's name, in pixels, rounded down. A name may lose a pixel, but not a letter.
const NAME_CHAR: usize = 7;
/// Widths of a label's characters, in pixels: Latin, Chinese.
const LABEL_CHARS: (usize, usize) = (6, 11);

/// How far a round corner extends along its lines, in pixels.
const CORNER: u16 = 8;

fn maps() -> impl Iterator<Item = (&'static str, &'static LifecycleMap)> {
    all()
        .iter()
        .map(|dialect| (dialect.card().id, dialect.card().lifecycle_map))
}

fn boxes(map: &LifecycleMap) -> Vec<(&'static str, Rect)> {
    let events = map.events.iter().map(|event| (event.event, event.area));
    let moments = map.actions.iter().map(|moment| (moment.title.en, moment.area));
    events.chain(moments).collect()
}

fn right(area: Rect) -> u16 {
    area.x + area.width
}

fn bottom(area: Rect) -> u16 {
    area.y + area.height
}

/// Whether two boxes share more than an edge.
fn overlap(a: Rect, b: Rect) -> bool {
    a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a)
}

fn on_edge((x, y): Point, area: Rect) -> bool {
    let level = (area.x..=right(area)).contains(&x) && (y == area.y || y == bottom(area));
    let upright = (area.y..=bottom(area)).contains(&y) && (x == area.x || x == right(area));
    level || upright
}

fn on_segment((x, y): Point, a: Point, b: Point) -> bool {
    (a.0.min(b.0)..=a.0.max(b.0)).contains(&x) && (a.1.min(b.1)..=a.1.max(b.1)).contains(&y)
}

fn segments(line: &MapEdge) -> impl Iterator<Item = (Point, Point)> {
    line.points.windows(2).map(|ends| (ends[0], ends[1]))
}

/// Whether a point is on a segment and far enough from the corners, which are drawn round.
fn on_straight(at: Point, a: Point, b: Point) -> bool {
    let away = |corner: Point| at.0.abs_diff(corner.0) + at.1.abs_diff(corner.1) >= CORNER;
    on_segment(at, a, b) && away(a) && away(b)
}

/// The area of a segment of a line, at least one pixel wide.
fn segment_area(a: Point, b: Point) -> Rect {
    Rect {
        x: a.0.min(b.0),
        y: a.1.min(b.1),
        width: a.0.abs_diff(b.0).max(1),
        height: a.1.abs_diff(b.1).max(1),
    }
}

/// Whether a segment of a line runs through the inside of a box.
fn crosses(a: Point, b: Point, area: Rect) -> bool {
    let inside = Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width - 2,
        height: area.height - 2,
    };
    overlap(segment_area(a, b), inside)
}

fn label_area(label: &MapLabel, text: &str) -> Rect {
    let width = text
        .chars()
        .map(|char| if char.is_ascii() { LABEL_CHARS.0 } else { LABEL_CHARS.1 })
        .sum::<usize>();
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    let x = match label.side {
        LabelSide::Start => label.at.0,
        LabelSide::Middle => label.at.0.saturating_sub(width / 2),
        LabelSide::End => label.at.0.saturating_sub(width),
    };
    Rect {
        x,
        y: label.at.1.saturating_sub(9),
        width,
        height: 11,
    }
}

/// The areas of the frames' titles.
fn titles(map: &'static LifecycleMap, chosen: fn(Bilingual) -> &'static str) -> impl Iterator<Item = Rect> {
    map.frames.iter().map(move |frame| {
        let at = (frame.area.x + 16, frame.area.y + 4);
        let (side, text) = (LabelSide::Start, frame.title);
        label_area(&MapLabel { at, side, text }, chosen(text))
    })
}

#[test]
fn every_event_of_the_card_is_in_its_map_exactly_once() {
    for dialect in all() {
        let map = dialect.card().lifecycle_map;
        let mut seen: BTreeMap<&str, usize> = dialect.card().events.iter().map(|event| (event.name, 0)).collect();
        for node in map.events {
            let count = seen.get_mut(node.event);
            *count.unwrap_or_else(|| panic!("{}: the card has no {}", dialect.card().id, node.event)) += 1;
        }
        seen.retain(|_, count| *count != 1);
        assert!(seen.is_empty(), "{}: not once: {seen:?}", dialect.card().id);
    }
}

#[test]
fn boxes_lie_on_the_grid_inside_the_picture_without_overlap() {
    for (id, map) in maps() {
        let boxes = boxes(map);
        for (name, area) in boxes
            .iter()
            .copied()
            .chain(map.frames.iter().map(|it| (it.title.en, it.area)))
        {
            for number in [area.x, area.y, area.width, area.height] {
                assert_eq!(number % GRID, 0, "{id}: {name}");
            }
            assert!(right(area) <= map.size.0 && bottom(area) <= map.size.1, "{id}: {name}");
        }
        for (index, (name, area)) in boxes.iter().enumerate() {
            for (other, other_area) in &boxes[index + 1..] {
                assert!(!overlap(*area, *other_area), "{id}: {name} and {other}");
            }
        }
    }
}

#[test]
fn an_event_s_name_fits_into_its_box() {
    for (id, map) in maps() {
        for node in map.events {
            assert_eq!(node.area.height, EVENT_HEIGHT, "{id}: {}", node.event);
            let needed = node.event.len() * NAME_CHAR + NAME_PADDING;
            assert!(needed <= node.area.width.into(), "{id}: {} needs {needed}", node.event);
        }
    }
}

#[test]
fn lines_go_level_and_upright_from_box_to_box_and_through_none() {
    for (id, map) in maps() {
        let boxes = boxes(map);
        for line in map.edges {
            let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
            assert!(line.points.len() > 1, "{id}: {line:?}");
            assert!(
                boxes.iter().any(|(_, area)| on_edge(first, *area)),
                "{id}: begins nowhere: {line:?}"
            );
            match line.end {
                EdgeEnd::Arrow => {
                    assert!(
                        boxes.iter().any(|(_, area)| on_edge(last, *area)),
                        "{id}: ends nowhere: {line:?}"
                    );
                }
                EdgeEnd::Joins => {
                    let others = map.edges.iter().filter(|other| *other != line);
                    let met = others.flat_map(segments).any(|(a, b)| on_straight(last, a, b));
                    assert!(met, "{id}: joins nothing: {line:?}");
                }
            }
            for (a, b) in segments(line) {
                assert!(
                    (a.0 == b.0) != (a.1 == b.1),
                    "{id}: neither level nor upright: {line:?}"
                );
                let through = boxes.iter().find(|(_, area)| crosses(a, b, *area));
                assert!(through.is_none(), "{id}: {line:?} runs through {through:?}");
            }
        }
    }
}

#[test]
fn labels_cover_no_box_no_line_and_no_other_label() {
    for (id, map) in maps() {
        let boxes = boxes(map);
        let labels: Vec<&MapLabel> = map.edges.iter().filter_map(|line| line.label.as_ref()).collect();
        for chosen in [|text: Bilingual| text.en, |text: Bilingual| text.zh] {
            for title in titles(map, chosen) {
                let struck = map
                    .edges
                    .iter()
                    .flat_map(segments)
                    .find(|(a, b)| overlap(title, segment_area(*a, *b)));
                assert!(
                    struck.is_none(),
                    "{id}: the title at {title:?} is struck out by {struck:?}"
                );
            }
            for (index, label) in labels.iter().enumerate() {
                let text = chosen(label.text);
                let area = label_area(label, text);
                assert!(right(area) <= map.size.0, "{id}: {text} leaves the picture");
                let covered = boxes.iter().find(|(_, other)| overlap(area, *other));
                assert!(covered.is_none(), "{id}: {text} covers {covered:?}");
                let titled = titles(map, chosen).find(|other| overlap(area, *other));
                assert!(titled.is_none(), "{id}: {text} covers the title at {titled:?}");
                let struck = map
                    .edges
                    .iter()
                    .flat_map(segments)
                    .find(|(a, b)| overlap(area, segment_area(*a, *b)));
                assert!(struck.is_none(), "{id}: {text} is struck out by {struck:?}");
                for other in &labels[index + 1..] {
                    assert!(
                        !overlap(area, label_area(other, chosen(other.text))),
                        "{id}: {text} and {}",
                        chosen(other.text)
                    );
                }
            }
        }
    }
}
