/** The fixes that Explain offers. */
export default {
  now: "Current condition",
  add: "Add {{name}} to the condition",
  change: "Change {{from}} to {{to}}",
  apply: "Apply the fix",
  done: "The condition of {{hook}} was changed.",
  file: {
    make_executable: "Make {{file}} executable",
    line_endings: "Convert line endings of {{file}}",
    interpreter_line: "Write the first line of {{file}}",
    first_line: "Move #! to the start of {{file}}",
    printf: "Use printf in {{file}}",
    byte_order_mark: "Remove the byte-order mark of {{file}}",
    rename_key: "Rename the key to {{to}} in {{file}}",
    add_wrapper: "Move the events under {{to}} in {{file}}",
    remove_wrapper: "Move the events out of {{to}} in {{file}}",
    move_file: "Move {{file}} to {{to}}",
    field: "Correct {{field}} in {{file}}",
    done: "{{file}} was changed.",
    mode: "Mode {{from}} becomes {{to}}",
  },
} as const;
