/** What the agent and Hookwright do not run, and why. */
export default {
  rejects: "{{agent}} rejects this file: none of its hooks run there.",
  rejectsNamed: "{{agent}} rejects {{file}}: none of its hooks run there.",
  showProblem: "Show the problem",
  here: "Nothing ran here:",
  waiting_one: " {{count}} hook waits for your approval. {{agent}} itself does run it.",
  waiting_other: " {{count}} hooks wait for your approval. {{agent}} itself does run them.",
} as const;
