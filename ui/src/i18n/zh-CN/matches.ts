import type en from "@/i18n/en/matches";
import type { Same } from "@/i18n/shape";

/** 最近的事件中有多少会匹配某个 Hook。 */
export default {
  title: "最近的事件",
  none: "尚无 {{event}} 事件的记录。",
  of_other: "最近 {{count}} 个事件中有 {{matched}} 个会匹配",
  last: { match: "最近 1 个事件会匹配", noMatch: "最近 1 个事件不会匹配" },
  after: "修改后为 {{count}} 个",
  withoutPayload_other: "另有 {{count}} 个事件没有载荷，未计入。",
  incomplete: "用时过长，较早的事件未计入。",
  matched: "匹配",
  notMatched: "不匹配",
  near: {
    case: "仅大小写不同",
    blanks: "仅空格不同",
    spelling: "仅拼写不同",
    missing_field: "缺少字段",
  },
} satisfies Same<typeof en>;
