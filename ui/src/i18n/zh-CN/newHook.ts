import type en from "@/i18n/en/newHook";
import type { Same } from "@/i18n/shape";

/** 新建 Hook 的入口。 */
export default {
  ask: "新建 Hook",
  askHere: "为此事件新建 Hook",
  askAbout: "选择事件和模板，先看将写入的文本",
  guardAgainst: "拦截此类事件",
} satisfies Same<typeof en>;
