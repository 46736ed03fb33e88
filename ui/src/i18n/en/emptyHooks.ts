/** A project without hooks. */
export default {
  title: "No hooks yet",
  text_one: "Hookwright searched {{count}} location for hooks of this project.",
  text_other: "Hookwright searched {{count}} locations for hooks of this project.",
  notThere: "no file yet",
  absent_one: "{{count}} location without a file",
  absent_other: "{{count}} locations without a file",
  empty: "empty",
  found_one: "{{count}} hook",
  found_other: "{{count}} hooks",
  sample: "Open the sample project",
  sampleAbout: "six hooks at several events, safe to fire",
  folder: "Open another folder",
  folderAbout: "a project that has hooks",
} as const;
