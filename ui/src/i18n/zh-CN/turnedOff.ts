import type en from "@/i18n/en/turnedOff";
import type { Same } from "@/i18n/shape";

export default {
  did: "已在 {{agent}} 中关闭 {{hook}}，定义已保留。",
  undid: "已在 {{agent}} 中启用 {{hook}}。",
  switchLabel: "在 {{agent}} 中启用 {{hook}}",
  drawer: "已关闭的 Hook",
  about: "{{agent}} 不执行此 Hook：它的定义已从文件中移出。Hookwright 会一直保留它；再次启用时，定义会恢复到原处。",
  since: "关闭时间",
  was: "原 ID",
  file: "文件",
  event_other: "事件",
  text: "从文件中移出的内容",
  files_other: "保留了 {{count}} 个文件",
} satisfies Same<typeof en>;
