/** Converting a hook to another hook system. */
export default {
  title: "Convert {{hook}}",
  to: "Hook system",
  folder: "Folder",
  beside: "{{agent}} already has such a file in this project. Merge the new files into it to use them.",
  folderHint: "Only new files are written. An existing file is never overwritten.",
  files: "New files",
  losses: "What is different",
  noLosses: "Nothing is lost.",
  nothing: "No file would be written.",
  write: "Write files",
  done_one: "{{count}} file was written.",
  done_other: "{{count}} files were written.",
  did: "convert {{hook}}",
} as const;
