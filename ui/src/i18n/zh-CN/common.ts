import type en from "@/i18n/en/common";
import type { Same } from "@/i18n/shape";

export default {
  app: "Hookwright",
  cancel: "取消",
  close: "关闭",
  copied: "已复制",
  notCopied: "无法复制到剪贴板。",
  more: "更多",
  undo: "撤销",
  open: "打开",
  retry: "重试",
  back: "返回",
  add: "添加",
  none: "–",
  list: "、",
  loading: "正在加载",
  waitingFor: "仍在等待：{{what}}",
  followedBy: "然后",
  previous: "上一个",
  next: "下一个",
  suggestions: "建议",
  search: "搜索",
  noneFound: "没有匹配结果。",
  resize: "调整“{{name}}”的大小",
  removeFilter: "移除 {{token}}",
  language: { en: "English", "zh-CN": "简体中文" },
} satisfies Same<typeof en>;
