/** The ways to a new hook. */
export default {
  ask: "New hook",
  askHere: "New hook for this event",
  askAbout: "choose an event and a template, see the text first",
  guardAgainst: "Guard against this",
} as const;
