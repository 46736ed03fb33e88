import type en from "@/i18n/en/programs";
import type { Same } from "@/i18n/shape";

export default {
  always: "始终允许 {{name}}…",
  alwaysLabel: "始终允许 {{name}} 注册命令",
  title: "始终允许 {{name}} 注册命令？",
  waiting: "此 Agent 正在等待批准的命令也会从现在起执行。可在“信任”中撤销批准。",
  name: "Agent",
  dialect: "Hook 体系",
  program: "程序",
  keep: "继续询问",
  confirm: "始终允许 {{name}}",
  allowed: "{{name}} 注册的命令不再需要审阅。",
  show: "查看",
  registeredBy: "注册者",
  ofAgents: "由 Agent 注册",
  listTitle: "始终允许的 Agent",
  listText: "这些 Agent 注册的命令不经审阅即执行，对所有项目生效。",
  revoke: "撤销批准",
  revokeLabel: "撤销批准：始终允许 {{name}}",
  revoked: "{{name}} 注册的命令需要重新批准。",
} satisfies Same<typeof en>;
