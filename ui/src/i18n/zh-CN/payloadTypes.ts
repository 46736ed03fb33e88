import type en from "@/i18n/en/payloadTypes";
import type { Same } from "@/i18n/shape";

/** 载荷中类型与 Agent 所发送的不同的值，以及重复的键。 */
export default {
  wrong: "`{{field}}` 是{{is}}，而 Agent 发送的是{{wanted}}。匹配条件和 Hook 可能无法识别。",
  twice: "`{{key}}` 是重复的键，只有最后一个值起作用。",
  kind: { text: "文本", number: "数字", flag: "布尔值", list: "列表", object: "对象", messages: "消息列表" },
} satisfies Same<typeof en>;
