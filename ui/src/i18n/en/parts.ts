/** Words that belong to components rather than to a screen. */
export default {
  timeline: {
    count_one: "{{count}} step",
    count_other: "{{count}} steps",
    reply: "reply sent here",
    label: "Steps and their times",
    step: "Step",
    outcome: "Outcome",
    started: "Started",
    took: "Took",
    attempts: "Attempts",
    whole: "Whole chain",
    otherCalls_one: "{{count}} hook for other calls",
    otherCalls_other: "{{count}} hooks for other calls",
    asTable: "Show as table",
    asPicture: "Show as timeline",
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
