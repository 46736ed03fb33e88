/** Sentences after each other: Chinese has no space after a full-width mark, which brings its own. */

const FULL_WIDTH_END = /[。！？：；，、）”]$/;

/** What stands between `text` and the next sentence. */
export function sentenceGap(text: string): "" | " " {
  return FULL_WIDTH_END.test(text) ? "" : " ";
}

/** The sentences in one line of text; those that are absent are left out. */
export function joinSentences(...sentences: readonly (string | null | undefined | false)[]): string {
  const [first = "", ...rest] = sentences.filter((one): one is string => typeof one === "string" && one !== "");
  return rest.reduce((text, next) => `${text}${sentenceGap(text)}${next}`, first);
}
