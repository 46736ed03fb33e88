import type en from "@/i18n/en/newHookForm";
import type { Same } from "@/i18n/shape";

export default {
  title: "新建 Hook",
  dialect: "方言",
  event: "事件",
  where: "位置",
  layer: { project: "项目", user: "用户", local: "本地文件", skill: "Skill" },
  layerAbout: {
    project: "写入项目的文件，供项目的所有成员使用。批准后才会执行。",
    user: "写入你自己的文件，对所有项目生效，立即执行。",
    local: "写入项目的本地文件，仅供自己使用。批准后才会执行。",
    skill: "写入 Skill 的目录，在启用该 Skill 时执行。",
  },
  kind: "用途",
  template: {
    guard: "防护",
    filter: "改写",
    context: "补充上下文",
    prompt: "询问模型",
    text: "插入文本",
    record: "记录",
  },
  templateAbout: {
    guard: "用命令拦截危险的操作。",
    filter: "用命令在字段被使用之前改写内容。",
    context: "用命令向模型补充一段文本。",
    prompt: "由模型读取事件并作出决定，需要先在设置中配置模型。",
    text: "将一段文本插入对话。",
    record: "用命令将每个事件写入文件，不改变任何内容。",
  },
  field: {
    skill: "Skill",
    name: "名称",
    description: "说明",
    tool: "仅用于这些工具",
    command: "命令",
    prompt: "提示词",
    script: "脚本",
    text: "文本",
  },
  toolHint: "留空表示所有工具。",
  preview: "将写入的内容",
  noTemplate: "没有适合此事件的模板。",
  notReady: "内容尚未就绪，缺少的内容见右侧。",
  add: "添加 Hook",
  added: "已添加 {{hook}}。",
} satisfies Same<typeof en>;
