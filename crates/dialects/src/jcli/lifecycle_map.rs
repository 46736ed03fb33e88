//! The lifecycle map of j-cli (`jcli.md` §3, lifecycle).

use hookwright_model::lifecycle_map::LabelSide::{End, Middle, Start};
use hookwright_model::{LifecycleMap, MapAction, MapEdge, MapEvent, MapFrame};

/// One turn with its loop of tool calls, and the two compactions below it.
pub static LIFECYCLE_MAP: LifecycleMap = LifecycleMap {
    size: (776, 684),
    frames: &[
        MapFrame::at((8, 76), (760, 436), "one turn", "一轮对话"),
        MapFrame::at((8, 536), (760, 132), "when the context is nearly full", "上下文快满时"),
    ],
    events: &[
        MapEvent::at("session_start", 24, 12, 176),
        MapEvent::at("pre_send_message", 24, 98, 176),
        MapEvent::at("post_send_message", 300, 98, 176),
        MapEvent::at("pre_llm_request", 576, 98, 176),
        MapEvent::at("post_llm_response", 576, 246, 176),
        MapEvent::at("pre_tool_execution", 300, 246, 176),
        MapEvent::at("post_tool_execution", 252, 390, 184),
        MapEvent::at("post_tool_execution_failure", 508, 390, 244),
        MapEvent::at("stop", 24, 282, 176),
        MapEvent::at("pre_micro_compact", 24, 556, 176),
        MapEvent::at("post_micro_compact", 576, 556, 176),
        MapEvent::at("pre_auto_compact", 24, 612, 176),
        MapEvent::at("post_auto_compact", 576, 612, 176),
        MapEvent::at("session_end", 576, 12, 176),
    ],
    actions: &[
        MapAction::at(300, 22, 176, "turns", "各轮对话"),
        MapAction::at(576, 186, 176, "LLM request", "请求 LLM"),
        MapAction::at(300, 324, 176, "run the tool", "执行工具"),
        MapAction::at(300, 566, 176, "micro compact", "微压缩"),
        MapAction::at(300, 622, 176, "auto compact", "自动压缩"),
    ],
    edges: &[
        MapEdge::to(&[(200, 36), (300, 36)]),
        MapEdge::to(&[(476, 36), (576, 36)]).with_label((526, 30), Middle, "at the end", "全部结束后"),
        MapEdge::to(&[(200, 122), (300, 122)]),
        MapEdge::to(&[(476, 122), (576, 122)]),
        MapEdge::to(&[(664, 146), (664, 186)]),
        MapEdge::to(&[(664, 214), (664, 246)]),
        MapEdge::to(&[(576, 270), (476, 270)]).with_label((528, 262), Middle, "tool calls", "工具调用"),
        MapEdge::to(&[(388, 294), (388, 324)]),
        MapEdge::to(&[(336, 352), (336, 390)]).with_label((328, 374), End, "ok", "成功"),
        MapEdge::to(&[(476, 338), (600, 338), (600, 390)]).with_label((608, 370), Start, "error", "失败"),
        MapEdge::to(&[(252, 414), (224, 414), (224, 198), (528, 198), (528, 132), (576, 132)]).with_label(
            (240, 190),
            Start,
            "result goes back to the model",
            "结果送回模型",
        ),
        MapEdge::joins(&[(630, 438), (630, 466), (224, 466), (224, 406)]),
        MapEdge::to(&[(752, 270), (760, 270), (760, 494), (112, 494), (112, 330)]).with_label(
            (680, 486),
            End,
            "no more tool calls",
            "不再调用工具",
        ),
        MapEdge::to(&[(112, 282), (112, 146)]).with_label((104, 220), End, "next turn", "下一轮"),
        MapEdge::to(&[(200, 580), (300, 580)]),
        MapEdge::to(&[(476, 580), (576, 580)]),
        MapEdge::to(&[(200, 636), (300, 636)]),
        MapEdge::to(&[(476, 636), (576, 636)]),
    ],
};
