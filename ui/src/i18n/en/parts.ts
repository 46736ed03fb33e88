/** Words that belong to components rather than to a screen. */
export default {
  waterfall: {
    reply: "the reply left here",
    label: "Steps and their times",
    summary_one: "Waterfall of {{count}} step, {{took}}",
    summary_other: "Waterfall of {{count}} steps, {{took}}",
    step: "Step",
    outcome: "Outcome",
    started: "Started",
    took: "Took",
    attempts: "Attempts",
    whole: "Whole chain",
  },
  chart: {
    time: "Time",
    runs: "Runs",
    runsPerHour_one: "Runs per hour, last {{count}} h",
    runsPerHour_other: "Runs per hour, last {{count}} h",
  },
  diff: {
    same: "No difference.",
    hidden_one: "{{count}} unchanged line",
    hidden_other: "{{count}} unchanged lines",
  },
} as const;
