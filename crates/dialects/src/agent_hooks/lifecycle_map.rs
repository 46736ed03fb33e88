//! The lifecycle map of an agent with Agent Hooks (`agent-hooks.md` §3, lifecycle).

use hookwright_model::lifecycle_map::LabelSide::{Middle, Start};
use hookwright_model::{LifecycleMap, MapAction, MapEdge, MapEvent, MapFrame};

/// One turn with its loop of tool calls. Subagents and compaction are below it.
pub static LIFECYCLE_MAP: LifecycleMap = LifecycleMap {
    size: (776, 500),
    frames: &[
        MapFrame::at((8, 76), (760, 308), "one turn", "一轮对话"),
        MapFrame::at((8, 408), (372, 76), "a subagent works", "子 Agent 工作时"),
        MapFrame::at((396, 408), (372, 76), "when the context is nearly full", "上下文快满时"),
    ],
    events: &[
        MapEvent::at("session_start", 24, 12, 176),
        MapEvent::at("before_agent", 24, 98, 176),
        MapEvent::at("before_tool", 576, 98, 176),
        MapEvent::at("after_tool", 300, 274, 176),
        MapEvent::at("after_tool_failure", 576, 274, 176),
        MapEvent::at("before_stop", 24, 226, 176),
        MapEvent::at("after_agent", 24, 314, 176),
        MapEvent::at("subagent_start", 24, 424, 148),
        MapEvent::at("subagent_stop", 216, 424, 148),
        MapEvent::at("pre_compact", 412, 424, 148),
        MapEvent::at("session_end", 576, 12, 176),
    ],
    actions: &[
        MapAction::at(300, 22, 176, "turns", "各轮对话"),
        MapAction::at(300, 108, 176, "the model responds", "模型回复"),
        MapAction::at(576, 186, 176, "run the tool", "执行工具"),
        MapAction::at(612, 434, 140, "compact", "压缩上下文"),
    ],
    edges: &[
        MapEdge::to(&[(200, 36), (300, 36)]),
        MapEdge::to(&[(476, 36), (576, 36)]).with_label((526, 30), Middle, "at the end", "全部结束后"),
        MapEdge::to(&[(200, 122), (300, 122)]),
        MapEdge::to(&[(476, 122), (576, 122)]).with_label((526, 114), Middle, "tool calls", "工具调用"),
        MapEdge::to(&[(664, 146), (664, 186)]),
        MapEdge::to(&[(576, 200), (388, 200), (388, 274)]).with_label((396, 242), Start, "ok", "成功"),
        MapEdge::to(&[(664, 214), (664, 274)]).with_label((672, 246), Start, "error", "失败"),
        MapEdge::to(&[(340, 274), (340, 136)]).with_label(
            (348, 172),
            Start,
            "result goes back to the model",
            "结果送回模型",
        ),
        MapEdge::joins(&[(664, 322), (664, 342), (284, 342), (284, 262), (340, 262)]),
        MapEdge::to(&[(316, 136), (316, 250), (200, 250)]).with_label(
            (258, 242),
            Middle,
            "no tool calls",
            "不再调用工具",
        ),
        MapEdge::to(&[(112, 274), (112, 314)]),
        MapEdge::to(&[(24, 338), (16, 338), (16, 190), (48, 190), (48, 146)]).with_label(
            (56, 180),
            Start,
            "next turn",
            "下一轮",
        ),
        MapEdge::to(&[(172, 448), (216, 448)]),
        MapEdge::to(&[(560, 448), (612, 448)]),
    ],
};
