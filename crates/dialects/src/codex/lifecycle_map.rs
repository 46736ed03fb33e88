//! The lifecycle map of Codex (`codex.md` §3, lifecycle).

use hookwright_model::lifecycle_map::LabelSide::{End, Middle, Start};
use hookwright_model::{LifecycleMap, MapAction, MapEdge, MapEvent, MapFrame};

/// One turn with its loop of requests and tool calls. Below it are the events outside this loop.
#[rustfmt::skip]
pub static LIFECYCLE_MAP: LifecycleMap = LifecycleMap {
    size: (776, 656),
    frames: &[
        MapFrame::at((8, 76), (760, 364), "one turn", "一轮对话"),
        MapFrame::at((8, 464), (372, 76), "a subagent works", "子 Agent 工作时"),
        MapFrame::at((396, 464), (372, 76), "when the context is nearly full", "上下文快满时"),
        MapFrame::at((8, 564), (760, 76), "at any time", "任何时候"),
    ],
    events: &[
        MapEvent::at("SessionStart", 24, 12, 176),
        MapEvent::at("UserPromptSubmit", 24, 98, 176),
        MapEvent::at("PreModelRequest", 300, 98, 176),
        MapEvent::at("PostModelRequest", 300, 246, 176),
        MapEvent::at("PreToolUse", 576, 98, 176),
        MapEvent::at("PermissionRequest", 576, 190, 176),
        MapEvent::at("PostToolUse", 300, 350, 176),
        MapEvent::at("Stop", 24, 246, 176),
        MapEvent::at("SubagentStart", 24, 480, 144),
        MapEvent::at("SubagentStop", 220, 480, 144),
        MapEvent::at("PreCompact", 412, 480, 144),
        MapEvent::at("PostCompact", 608, 480, 144),
        MapEvent::at("Interrupt", 24, 580, 176),
        MapEvent::at("SessionEnd", 576, 12, 176),
    ],
    actions: &[
        MapAction::at(300, 22, 176, "turns", "各轮对话"),
        MapAction::at(300, 182, 176, "the model responds", "模型回复"),
        MapAction::at(576, 282, 176, "run the tool", "执行工具"),
    ],
    edges: &[
        MapEdge::to(&[(200, 36), (300, 36)]),
        MapEdge::to(&[(476, 36), (576, 36)]).with_label((526, 30), Middle, "at the end", "全部结束后"),
        MapEdge::to(&[(200, 122), (300, 122)]),
        MapEdge::to(&[(388, 146), (388, 182)]),
        MapEdge::to(&[(388, 210), (388, 246)]),
        MapEdge::to(&[(476, 270), (526, 270), (526, 122), (576, 122)]).with_label((518, 234), End, "tool calls", "工具调用"),
        MapEdge::to(&[(664, 146), (664, 190)]).with_label((672, 172), Start, "asks", "需要询问"),
        MapEdge::to(&[(752, 122), (760, 122), (760, 266), (730, 266), (730, 282)]),
        MapEdge::to(&[(664, 238), (664, 282)]).with_label((672, 264), Start, "allowed", "放行"),
        MapEdge::to(&[(664, 310), (664, 374), (476, 374)]),
        MapEdge::to(&[(300, 374), (250, 374), (250, 136), (300, 136)]).with_label((242, 330), End, "result goes back to the model", "结果送回模型"),
        MapEdge::to(&[(300, 270), (200, 270)]).with_label((242, 238), End, "no tool calls", "不再调用工具"),
        MapEdge::to(&[(112, 246), (112, 146)]).with_label((104, 200), End, "next turn", "下一轮"),
        MapEdge::to(&[(168, 504), (220, 504)]),
        MapEdge::to(&[(556, 504), (608, 504)]),
    ],
};
