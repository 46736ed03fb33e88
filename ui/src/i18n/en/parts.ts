/** Words that belong to components rather than to a screen. */
export default {
  waterfall: {
    reply: "reply sent here",
    label: "Steps and their times",
    summary_one: "Waterfall of {{count}} step, {{took}}",
    summary_other: "Waterfall of {{count}} steps, {{took}}",
    step: "Step",
    outcome: "Outcome",
    started: "Started",
    took: "Took",
    attempts: "Attempts",
    whole: "Whole chain",
    asTable: "Show as table",
    asPicture: "Show as waterfall",
  },
  chart: {
    time: "Time",
    runs: "Runs",
    runsPerHour_one: "Runs per hour, last {{count}} h",
    runsPerHour_other: "Runs per hour, last {{count}} h",
  },
  diff: {
    same: "No difference.",
    before: "{{label}}, before",
    after: "{{label}}, after",
    // The editor puts the number of lines in place of the sign.
    hidden: " $ unchanged lines",
  },
} as const;
