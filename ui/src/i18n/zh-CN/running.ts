import type en from "@/i18n/en/running";
import type { Same } from "@/i18n/shape";

/** 正在执行的链。 */
export default {
  list: "正在执行",
  steps: "正在执行的链的步骤",
  step: "{{label}}，第 {{number}} 个 Hook，共 {{total}} 个",
  several: "同时执行 {{count}} 个 Hook，共 {{total}} 个",
  between: "两个 Hook 之间",
  limit: "时限 {{time}}",
  attempt: "第 {{count}} 次尝试",
  waiting: "等待执行",
  runs: "执行中",
  ended: "已结束；同时开始的 Hook 全部结束后显示结果",
  stderr: "{{label}} 的 stderr",
  cut: "已省略较早的行。",
  stop: "停止",
  stopChain: "停止 {{event}} 的链",
  show: "显示步骤",
  hide: "隐藏步骤",
  notStopped: "该链已经结束。",
  atAgent: "{{agent}} 正在执行自己的 Hook。",
  atAgentText: "Agent 不上报正在执行哪个 Hook。",
} satisfies Same<typeof en>;
