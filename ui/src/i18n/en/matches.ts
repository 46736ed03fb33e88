/** How many of the last events a hook would match. */
export default {
  title: "Last events",
  none: "No {{event}} events are recorded yet.",
  of_one: "{{matched}} of the last {{count}} event would match",
  of_other: "{{matched}} of the last {{count}} events would match",
  last: { match: "The last event would match", noMatch: "The last event would not match" },
  after: "{{count}} after this change",
  withoutPayload_one: "{{count}} more event has no payload and was not tested.",
  withoutPayload_other: "{{count}} more events have no payload and were not tested.",
  incomplete: "Older events were left out because it took too long.",
  matched: "Matches",
  notMatched: "Does not match",
  near: {
    case: "only the letter case differs",
    blanks: "only spaces differ",
    spelling: "only the spelling differs",
    missing_field: "the field is missing",
  },
} as const;
