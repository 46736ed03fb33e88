import type en from "@/i18n/en/fix";
import type { Same } from "@/i18n/shape";

/** 解释页提供的修复。 */
export default {
  now: "当前匹配条件",
  add: "将 {{name}} 加入匹配条件",
  change: "将 {{from}} 改为 {{to}}",
  apply: "应用修复",
  done: "已修改 {{hook}} 的匹配条件。",
} satisfies Same<typeof en>;
