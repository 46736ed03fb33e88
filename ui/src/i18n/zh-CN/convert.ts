import type en from "@/i18n/en/convert";
import type { Same } from "@/i18n/shape";

/** 把 Hook 转换为另一种Hook 体系。 */
export default {
  title: "转换 {{hook}}",
  to: "Hook 体系",
  folder: "文件夹",
  beside: "此项目中已有 {{agent}} 的同名文件。要使用新文件，需将其合并进去。",
  folderHint: "只写入新文件，绝不覆盖已有文件。",
  files: "新文件",
  losses: "差异",
  noLosses: "没有丢失任何内容。",
  nothing: "不会写入任何文件。",
  write: "写入文件",
  done_other: "已写入 {{count}} 个文件。",
  did: "转换 {{hook}}",
} satisfies Same<typeof en>;
