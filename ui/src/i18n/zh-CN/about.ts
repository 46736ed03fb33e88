import type en from "@/i18n/en/about";
import type { Same } from "@/i18n/shape";

export default {
  p95: "最近 24 小时的 p95：每 100 次执行中有 95 次不超过此用时。",
  place: "此 Agent 的第 {{place}} 个来源。",
  layer: {
    builtin: "其中的 Hook 内置于 Agent。",
    user: "属于你自己，对所有项目生效。",
    project: "属于当前项目。",
    session: "其中的 Hook 仅为一个会话注册。",
    skill: "属于一个 Skill。",
  },
} satisfies Same<typeof en>;
