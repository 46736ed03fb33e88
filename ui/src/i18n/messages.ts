/**
 * The engine's sentences in the window's language: English as it came, Chinese from code and arguments. `labels`, by hook
 * id, are what hooks are called instead.
 */
import type { Fault } from "@/ipc/fault";
import type { Message } from "@/ipc/types";
import { time } from "./format";
import { currentLanguage, type Language, t } from "./index";
import { messageTable } from "./messageTable";

const HOLE = /( ?)\{([a-z0-9_]+)\}( ?)/gi;
const CHINESE = /[\u4e00-\u9fff]/;

type Args = Record<string, unknown>;
type Part = "text" | "hint";

/** A moment as the engine writes it: in UTC, to the second or finer. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

function isMoment(value: unknown): boolean {
  return typeof value === "string" && MOMENT.test(value);
}

function asText(value: unknown, language: Language): string {
  if (Array.isArray(value)) return value.map((one) => asText(one, language)).join(language === "zh-CN" ? "、" : ", ");
  if (typeof value !== "string") return JSON.stringify(value);
  return isMoment(value) ? time(value) : value;
}

/** A word of ours in Chinese; the same where it goes on behind a colon. Anything else stays as it is. */
function word(text: string): string {
  const { words } = messageTable("zh-CN");
  const whole = words[text];
  if (whole !== undefined) return whole;
  const colon = text.indexOf(": ");
  const head = colon < 0 ? undefined : words[text.slice(0, colon)];
  return head === undefined ? text : `${head}：${text.slice(colon + 2)}`;
}

/** What stands behind one of these is quoted: a text of somebody's file, and no word of ours. */
const QUOTES = new Set(["`", '"', "“"]);

/** The template with its holes filled, or null when an argument is missing. */
export function fillTemplate(template: string, args: Args, language: Language = "zh-CN"): string | null {
  let complete = true;
  const text = template.replace(HOLE, (_, before: string, name: string, after: string, at: number) => {
    const value = args[name];
    if (value === undefined || value === null) {
      complete = false;
      return "";
    }
    // A sentence inside a sentence is rendered in the same language.
    const inner = args[`${name}_message`];
    const said = typeof inner === "object" && inner !== null ? filled(inner, "text", language) : null;
    const quoted = before === "" && QUOTES.has(template.charAt(at - 1));
    const plain = quoted && typeof value === "string" ? value : asText(value, language);
    const text = said ?? (language === "en" || quoted ? plain : word(plain));
    if (language === "en" || text === plain) return before + text + after;
    // The blanks are for Latin words; between Chinese ones there are none.
    return (
      (CHINESE.test(text.charAt(0)) ? "" : before) + text + (CHINESE.test(text.charAt(text.length - 1)) ? "" : after)
    );
  });
  return complete ? text : null;
}

function filled(message: Message, part: Part, language: Language): string | null {
  if (!message.code) return null;
  const { messages } = messageTable(language);
  const args = message.args ?? {};
  const variant = typeof args.case === "string" ? messages[`${message.code}.${args.case}`] : undefined;
  const template = (variant ?? messages[message.code])?.[part];
  return template === undefined ? null : fillTemplate(template, args, language);
}

/** A sentence that this version no longer has and that came without its English: its code, and what fills it. */
export function bare(message: Message): string {
  const { code, args } = message;
  const filling = Object.entries(args ?? {}).map(([name, value]) => `${name}: ${asText(value, "en")}`);
  return [code ?? "", ...(filling.length > 0 ? [`(${filling.join(", ")})`] : [])].join(" ");
}

/** The sentence with hooks called by their labels instead of their ids; null where it names none. */
function called(message: Message, part: Part, language: Language, labels: ReadonlyMap<string, string>): string | null {
  let found = false;
  const args = Object.fromEntries(
    Object.entries(message.args ?? {}).map(([name, value]) => {
      const label = typeof value === "string" ? labels.get(value) : undefined;
      found ||= label !== undefined;
      return [name, label ?? value];
    }),
  );
  return found ? filled({ ...message, args }, part, language) : null;
}

/** How many lines of a script with the same fault are named. */
const MOST_LINES = 5;

/** Where in a script a problem was found; the English of the engine says so itself. */
export function whereInScript({ in: inside }: Message, language: Language): string {
  if (!inside) return "";
  const all = [inside.line, ...(inside.also ?? [])];
  const named = all.slice(0, MOST_LINES).join(language === "zh-CN" ? "、" : ", ");
  const more = all.length > MOST_LINES ? ` +${all.length - MOST_LINES}` : "";
  const place = `${inside.path.split("/").at(-1) ?? inside.path}:${named}${more}`;
  return language === "zh-CN" ? `${place}：` : `in ${place}: `;
}

/** What an error in a file of Claude Code costs beside itself; the English of the engine says so itself. */
export function whatItCosts({ args }: Message, language: Language): string {
  if (args?.costs !== "file" || typeof args.hooks !== "number") return "";
  const settings = Array.isArray(args.settings) ? args.settings.map(String) : [];
  return language === "zh-CN"
    ? `Claude Code 会丢弃整个文件（${[`Hook：${args.hooks}`, ...settings].join("、")}）：`
    : `Claude Code drops this whole file (${[`hooks: ${args.hooks}`, ...settings].join(", ")}): `;
}

/** Words of a sentence that says itself that more than the faulty part is lost. */
const SAYS_COST = ["整个", "whole"];

type Labels = ReadonlyMap<string, string>;

/** In Chinese from code and arguments; English comes written, but with ids where a label is known. */
function written(message: Message, part: Part, labels: Labels | undefined): string | null {
  const language = currentLanguage();
  const inLabels = labels === undefined ? null : called(message, part, language, labels);
  // English comes written, and with it its moments in UTC; these are shown in local time.
  const isWritten = language === "en" && !Object.values(message.args ?? {}).some(isMoment);
  return inLabels ?? (isWritten ? null : filled(message, part, language));
}

/** `message`, an object with `code` and `args`, in the language on show; `english` is what came with it. */
export function say(message: object, english: string | null | undefined, labels?: Labels): string {
  const language = currentLanguage();
  const sentence = written(message, "text", labels);
  if (sentence !== null) {
    const saysCost = SAYS_COST.some((word) => sentence.includes(word));
    return whereInScript(message, language) + (saysCost ? "" : whatItCosts(message, language)) + sentence;
  }
  return english ?? filled(message, "text", language) ?? bare(message);
}

/** What one can do about `message`, if anything is known. */
export function hintOf(message: object, english: string | null | undefined, labels?: Labels): string | null {
  return written(message, "hint", labels) ?? english ?? null;
}

/** A refused call in the language on show. */
export function faultText(fault: Fault): { message: string; hint: string | null } {
  switch (fault.code) {
    case "ui_unreachable":
      return { message: t("shell.fault.ui_unreachable"), hint: t("shell.fault.ui_unreachable_hint") };
    case "ui_session_over":
      return { message: t("shell.fault.ui_session_over"), hint: t("shell.fault.ui_session_over_hint") };
    case "ui_needs_link":
      return { message: t("shell.fault.ui_needs_link"), hint: t("shell.fault.ui_needs_link_hint") };
    case "ui_unexpected":
      return {
        message: t("shell.fault.ui_unexpected", { message: fault.message }),
        hint: t("shell.fault.ui_unexpected_hint"),
      };
    default:
      return { message: say(fault, fault.message), hint: hintOf(fault, fault.hint) };
  }
}
