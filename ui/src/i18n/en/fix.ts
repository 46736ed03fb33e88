/** The fixes that Explain offers. */
export default {
  now: "Current condition",
  add: "Add {{name}} to the condition",
  change: "Change {{from}} to {{to}}",
  apply: "Apply the fix",
  done: "The condition of {{hook}} was changed.",
} as const;
