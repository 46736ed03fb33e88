import type en from "@/i18n/en/notRun";
import type { Same } from "@/i18n/shape";

export default {
  rejects: "{{agent}} 会拒绝此文件，其中的 Hook 都不会在该 Agent 中执行。",
  rejectsNamed: "{{agent}} 会拒绝 {{file}}，其中的 Hook 都不会在该 Agent 中执行。",
  showProblem: "查看问题",
  here: "此处未执行任何 Hook：",
  waiting_other: "{{count}} 个 Hook 待批准。{{agent}} 本身会执行它们。",
} satisfies Same<typeof en>;
