//! The lifecycle map of one request with skills (`skill.md` §3, flow of one request).

use hookwright_model::lifecycle_map::LabelSide::{End, Middle, Start};
use hookwright_model::{LifecycleMap, MapAction, MapEdge, MapEvent, MapFrame};

/// From the built messages to the reply, with the planning call and the loop of steps.
pub static LIFECYCLE_MAP: LifecycleMap = LifecycleMap {
    size: (776, 424),
    frames: &[MapFrame::at((8, 182), (736, 178), "the loop, step by step", "逐步循环")],
    events: &[
        MapEvent::at("after_user_input", 300, 12, 176),
        MapEvent::at("before_planning", 300, 98, 176),
        MapEvent::at("before_each_agent", 24, 204, 176),
        MapEvent::at("before_first_agent", 300, 204, 176),
        MapEvent::at("after_tool_call", 300, 290, 176),
    ],
    actions: &[
        MapAction::at(24, 22, 176, "build the messages", "构建消息"),
        MapAction::at(576, 22, 176, "direct call", "直接调用"),
        MapAction::at(576, 108, 176, "planning call", "规划调用"),
        MapAction::at(576, 214, 152, "step call", "步骤调用"),
        MapAction::at(576, 300, 152, "run the tools", "执行工具"),
        MapAction::at(300, 384, 176, "response", "回复"),
    ],
    edges: &[
        MapEdge::to(&[(200, 36), (300, 36)]),
        MapEdge::to(&[(476, 36), (576, 36)]).with_label((526, 30), Middle, "no tools", "无工具"),
        MapEdge::to(&[(388, 60), (388, 98)]).with_label((396, 82), Start, "with tools", "有工具"),
        MapEdge::to(&[(476, 122), (576, 122)]),
        MapEdge::to(&[(664, 136), (664, 160), (176, 160), (176, 204)]).with_label(
            (240, 152),
            Middle,
            "tools needed",
            "需要工具",
        ),
        MapEdge::to(&[(752, 36), (764, 36), (764, 404), (476, 404)]),
        MapEdge::joins(&[(752, 122), (764, 122)]).with_label((756, 154), End, "none needed", "不需要"),
        MapEdge::to(&[(200, 228), (300, 228)]).with_label((250, 220), Middle, "first step", "首步"),
        MapEdge::to(&[(476, 228), (576, 228)]),
        MapEdge::to(&[(160, 252), (160, 272), (620, 272), (620, 242)]).with_label(
            (250, 266),
            Middle,
            "later steps",
            "其后各步",
        ),
        MapEdge::to(&[(664, 242), (664, 300)]).with_label((672, 276), Start, "tool calls", "工具调用"),
        MapEdge::to(&[(576, 314), (476, 314)]).with_label((526, 306), Middle, "each call", "每次调用"),
        MapEdge::to(&[(300, 314), (112, 314), (112, 252)]).with_label((206, 306), Middle, "next step", "下一步"),
        MapEdge::to(&[(728, 228), (736, 228), (736, 392), (476, 392)]).with_label(
            (726, 384),
            End,
            "no more tool calls",
            "不再调用工具",
        ),
    ],
};
