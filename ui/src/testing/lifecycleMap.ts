/** The life map of the invented project's dialect: the parts a map may have, each at least once. */
import type { Dialect } from "@/ipc/types";

type LifecycleMap = Dialect["map"];

/** The words of the map. */
const CHINESE: Readonly<Record<string, string>> = {
  "one turn": "一轮",
  "when the context is nearly full": "上下文接近上限时",
  turns: "各轮",
  "LLM request": "LLM 请求",
  "run the tool": "执行工具",
  "micro compact": "微压缩",
  "auto compact": "自动压缩",
  "turns repeat": "逐轮重复",
  error: "出错",
};
const both = (en: string) => ({ en, zh: CHINESE[en] ?? en });

const box = (x: number, y: number, width: number, en: string, height = 28) => ({
  area: { x, y, width, height },
  title: both(en),
});
const node = (event: string, x: number, y: number, width = 176) => ({ event, area: { x, y, width, height: 48 } });
const line = (points: [number, number][], label: LifecycleMap["lines"][number]["label"] = null, arrow = true) => ({
  points,
  arrow,
  label,
});
const words = (x: number, y: number, side: "start" | "middle" | "end", en: string) => ({
  x,
  y,
  side,
  text: both(en),
});

export const MAP: LifecycleMap = {
  width: 776,
  height: 684,
  frames: [box(8, 76, 760, "one turn", 436), box(8, 536, 760, "when the context is nearly full", 132)],
  events: [
    node("session_start", 24, 12),
    node("pre_send_message", 24, 98),
    node("post_send_message", 300, 98),
    node("pre_llm_request", 576, 98),
    node("post_llm_response", 576, 246),
    node("pre_tool_execution", 300, 246),
    node("post_tool_execution", 252, 390, 184),
    node("post_tool_execution_failure", 508, 390, 244),
    node("stop", 24, 282),
    node("pre_micro_compact", 24, 556),
    node("post_micro_compact", 576, 556),
    node("pre_auto_compact", 24, 612),
    node("post_auto_compact", 576, 612),
    node("session_end", 576, 12),
  ],
  moments: [
    box(300, 22, 176, "turns"),
    box(576, 186, 176, "LLM request"),
    box(300, 324, 176, "run the tool"),
    box(300, 566, 176, "micro compact"),
    box(300, 622, 176, "auto compact"),
  ],
  lines: [
    line([
      [200, 36],
      [300, 36],
    ]),
    line(
      [
        [476, 36],
        [576, 36],
      ],
      words(526, 30, "middle", "turns repeat"),
    ),
    line([
      [664, 146],
      [664, 186],
    ]),
    line(
      [
        [476, 338],
        [600, 338],
        [600, 390],
      ],
      words(608, 370, "start", "error"),
    ),
    line([
      [252, 414],
      [224, 414],
      [224, 198],
      [528, 198],
      [528, 132],
      [576, 132],
    ]),
    line(
      [
        [630, 438],
        [630, 466],
        [224, 466],
        [224, 406],
      ],
      null,
      false,
    ),
  ],
};
