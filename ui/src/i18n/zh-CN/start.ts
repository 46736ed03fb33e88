import type en from "@/i18n/en/start";
import type { Same } from "@/i18n/shape";

export default {
  title: "接下来",
  ownTitle: "个人 Hook",
  everywhere: "这些是你的个人 Hook，在每个项目中都会执行。",
  own_other: "{{count}} 个个人 Hook",
  ownOf: "{{name}} {{count}} 个",
  noOwn: "未找到个人 Hook。",
  runs: "执行的内容",
  sampleAbout: "六个小型 Hook，涉及多个事件，可放心触发",
  sampleFolder: "会复制到 {{folder}}，可随时删除该文件夹。",
  agentsTitle: "Agent 的 Hook。",
  agents: "Hookwright 会查找这些 Agent 的 Hook 文件：{{agents}}。文件一旦存在，其中的 Hook 就会显示在这里。",
  needsProject: "打开项目后才能触发、解释、静音或修改此 Hook。",
} satisfies Same<typeof en>;
