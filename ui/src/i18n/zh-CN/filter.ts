import type en from "@/i18n/en/filter";
import type { Same } from "@/i18n/shape";

/** 匹配条件的编辑。 */
export default {
  title: "匹配条件",
  editOf: "{{hook}} 的匹配条件",
  save: "保存匹配条件",
  saved: "已修改 {{hook}} 的匹配条件。",
  preview: "对文件的修改",
  unchanged: "匹配条件与已保存的相同。修改后在此查看将写入的内容。",
  all: "需全部匹配",
  always: "每个事件都会执行",
  addName: "添加名称",
  add: "添加 {{name}}",
  remove: "移除 {{name}}",
  never: "{{event}} 从不提供此值，因此该 Hook 永远不会执行。",
  ignored: "在 {{event}} 会被忽略。",
  overruled: "已设置 {{key}}，因此会被忽略。",
  byProcess: "由进程自行区分工具，此处只选择事件。",
  verb: {
    equals: "等于",
    names: "是其中之一",
    list: "是其中之一",
    prefix: "开头为",
    whole: "完整匹配",
    search: "部分匹配",
    within: "任意文本部分匹配",
  },
  count_other: "最近 {{total}} 个事件中匹配 {{count}} 个",
  more_other: "多匹配 {{count}} 个",
  fewer_other: "少匹配 {{count}} 个",
  without: "统计时未计入 {{keys}}。计入后没有事件会匹配。",
  kind: {
    ran_other: "{{count}} 个匹配",
    near_other: "{{count}} 个近似匹配",
    other_other: "{{count}} 个其他",
  },
  cell: { ran: "匹配", near: "近似匹配", other: "不匹配" },
  nearValue_other: "{{count}} 个近似匹配的值为 `{{got}}`：{{why}}。",
} satisfies Same<typeof en>;
