/** The fixes that Explain offers. */
export default {
  now: "Filter now",
  add: "Add {{name}} to the filter",
  change: "Change {{from}} to {{to}}",
  apply: "Apply the fix",
  done: "The filter of {{hook}} was changed.",
} as const;
