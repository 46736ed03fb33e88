/** Line ends of files: an editor works with line feeds, the file gets back what it had. */

export type LineEnding = "\n" | "\r\n";

export interface EditableText {
  /** With line feeds, if every line of the file ends in the same way; otherwise exactly as in the file. */
  text: string;
  ending: LineEnding;
}

export function toEditable(file: string): EditableText {
  const isAllCrLf = file.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(file);
  return isAllCrLf ? { text: file.replaceAll("\r\n", "\n"), ending: "\r\n" } : { text: file, ending: "\n" };
}

/** The text as the file has it. */
export function toFile({ text, ending }: EditableText): string {
  return ending === "\n" ? text : text.replaceAll("\n", ending);
}
