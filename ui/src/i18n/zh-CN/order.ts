import type en from "@/i18n/en/order";
import type { Same } from "@/i18n/shape";

/** 生效顺序与冲突。 */
export default {
  table: "各事件的 Hook（按执行顺序）",
  all: "所有事件",
  withConflicts: "有冲突 {{count}}",
  none: "暂无 Hook",
  noneText: "有 Hook 后，此处显示各事件的执行顺序。",
  noConflicts: "没有冲突",
  noConflict: "此项目的 Hook 互不影响。",
  conflicts: "冲突",
  count_other: "{{count}} 个冲突",
  hooks_other: "{{count}} 个 Hook",
  budget: "时限合计 {{most}} · 预算 {{budget}}",
  place: "位置",
  source: "来源",
  replacedBy: "由 {{hook}} 取代",
  removeThis: "移除 {{hook}}",
  moveToFront: "将 {{hook}} 移到最前",
} satisfies Same<typeof en>;
