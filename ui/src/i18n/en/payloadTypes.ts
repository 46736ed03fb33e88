/** Values of a payload that have another type than agents send, and keys that come twice. */
export default {
  wrong: "`{{field}}` is {{is}}, but agents send {{wanted}}. Conditions and hooks may not understand it.",
  twice: "`{{key}}` is a duplicate key. Only the last value has an effect.",
  kind: {
    text: "a text",
    number: "a number",
    flag: "true or false",
    list: "a list",
    object: "an object",
    messages: "a list of messages",
  },
} as const;
