/** Before any project is open. */
export default {
  title: "What now",
  ownTitle: "Your own hooks",
  everywhere: "These are your own hooks: they run in every project.",
  own_one: "{{count}} hook of your own",
  own_other: "{{count}} hooks of your own",
  ownOf: "{{name}} {{count}}",
  noOwn: "No hooks of your own were found.",
  runs: "What it runs",
  sampleAbout: "six small hooks over several events, safe to fire",
  sampleFolder: "It is copied to {{folder}}. You can delete that folder at any time.",
  agentsTitle: "Hooks of your agent.",
  agents: "Hookwright finds the hook files of {{agents}}. Hooks appear here as soon as such a file exists.",
  needsProject: "Open a project to fire, explain, mute or change this hook.",
} as const;
