import type en from "@/i18n/en/emptyHooks";
import type { Same } from "@/i18n/shape";

/** 没有 Hook 的项目。 */
export default {
  title: "暂无 Hook",
  text_other: "已在 {{count}} 个位置查找此项目的 Hook。",
  notThere: "暂无文件",
  absent_other: "{{count}} 个位置暂无文件",
  empty: "空文件",
  found_other: "{{count}} 个 Hook",
  sample: "打开示例项目",
  sampleAbout: "六个 Hook，分布在多个事件上，可放心触发",
  folder: "打开其他文件夹",
  folderAbout: "选择一个含有 Hook 的项目",
} satisfies Same<typeof en>;
