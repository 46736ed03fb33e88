/** Hooks that are turned off for their agent. */
export default {
  did: "{{hook}} is off for {{agent}}. Its definition is kept.",
  undid: "{{hook}} is on for {{agent}} again.",
  switchLabel: "Turn on {{hook}} for {{agent}}",
  drawer: "Hook that is turned off",
  about:
    "{{agent}} does not run this hook: its definition is not in the file. Hookwright keeps it, and restores it in its place when you turn the hook on.",
  since: "Off since",
  was: "Id before",
  file: "File",
  event_one: "Event",
  event_other: "Events",
  text: "Removed from the file",
  files_one: "{{count}} file is kept",
  files_other: "{{count}} files are kept",
} as const;
