/** What a column or a group of the hooks means, on hover. */
export default {
  p95: "p95 of the last 24 h: 95 of 100 runs took at most this long.",
  place: "Source {{place}} of this agent.",
  layer: {
    builtin: "Its hooks are built into the agent.",
    user: "It is your own and applies to all projects.",
    project: "It belongs to the project.",
    session: "Its hooks were registered for one session.",
    skill: "It belongs to a skill.",
  },
} as const;
