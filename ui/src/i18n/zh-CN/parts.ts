import type en from "@/i18n/en/parts";
import type { Same } from "@/i18n/shape";

export default {
  timeline: {
    count_other: "{{count}} 个步骤",
    reply: "响应在此发出",
    label: "各步骤及其用时",
    step: "步骤",
    outcome: "结果",
    started: "开始时间",
    took: "用时",
    attempts: "尝试",
    whole: "整条链",
    otherCalls_other: "{{count}} 个 Hook 不适用于此调用",
    asTable: "以表格显示",
    asPicture: "以时间线显示",
  },
  chart: {
    time: "时间",
    runs: "执行次数",
    runsPerHour_other: "最近 {{count}} 小时每小时的执行次数",
  },
  diff: {
    same: "没有差异。",
    before: "{{label}}，改动前",
    after: "{{label}}，改动后",
    hidden: " $ 行未改动",
  },
} satisfies Same<typeof en>;
