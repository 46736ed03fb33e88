import type en from "@/i18n/en/explain";
import type { Same } from "@/i18n/shape";

export default {
  title: "解释",
  why: "它为何触发，或未触发？",
  hooks: "已考虑的 Hook",
  gates: "关卡",
  considered_other: "共考虑了 {{count}} 个 Hook",
  pick: "选一个来解释",
  stoppedAt: "停在{{gate}}",
  ran: "已运行",
  wouldRun: "会运行",
  another: "询问另一个事件",
  notFired: "未触发",
  hypothetical: "假设以示例载荷触发此事件",
  didNotRun: "{{label}} 没有运行：{{why}}",
  wouldNotRun: "{{label}} 不会运行：{{why}}",
  didRun: "{{label}} 已运行",
  itWouldRun: "{{label}} 会运行",
  stopped_other: "它通过了 {{count}} 道关卡，停在第 {{at}} 道。",
  passedAll_other: "它通过了全部 {{count}} 道关卡。",
  stored: "随事件一同记录，并非事后推测。",
  nothingRan: "回答这个问题没有运行任何内容。",
  copy: "复制为文本",
  gate: { valid: "定义", trusted: "信任", enabled: "开关", event: "事件", filter: "过滤条件", chain: "链" },
} satisfies Same<typeof en>;
