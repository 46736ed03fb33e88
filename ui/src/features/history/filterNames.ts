/** The words of the filter: what people see on the screen, as values, and what could be typed next. */
import { useMemo } from "react";
import { type Suggestion, tokenText } from "@/components";
import { chainOutcome } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import { type HistoryRow, type Outcome, useCall, type VerdictKind } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { FIELDS, type FilterNames, OUTCOMES, VERDICTS } from "./filter";

/** Suggestions at once; typing narrows them. */
const MAX_SUGGESTIONS = 40;
/** Fields whose values have words on the screen, which mean the same in the filter. */
const NAMED: ReadonlySet<string> = new Set(["outcome", "verdict"]);
const DURATIONS = ["dur:>100ms", "dur:>1s", "dur:>10s", "dur:<10ms"];
const SPANS = ["since:15m", "since:1h", "since:1d", "since:7d"];

function add<V>(map: Map<string, V[]>, word: string, value: V): void {
  const key = word
    .trim()
    .toLowerCase()
    .replace(/[-\s·]+/g, "_");
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else if (!known.includes(value)) known.push(value);
}

export function useFilterNames(project: string): FilterNames {
  const dialects = useDialects();
  const list = useCall("hooks.list", { project }, { enabled: project !== "" }).data;
  return useMemo(() => {
    const outcomes = new Map<string, Outcome[]>();
    const verdicts = new Map<string, VerdictKind[]>();
    const hooks = new Map<string, string[]>();
    for (const one of OUTCOMES) add(outcomes, t(`words.outcome.${one}`), one);
    for (const one of VERDICTS) {
      add(verdicts, t(`words.verdict.${one}`), one);
      // The list calls several verdicts by the same word.
      const verdict = { kind: one } as HistoryRow["verdict"];
      const shown = chainOutcome({ verdict, outcomes: ["no_opinion"], reasons: [null], origin: "agent" });
      if (shown === "denied" || shown === "asked") add(verdicts, t(`words.outcome.${shown}`), one);
    }
    for (const hook of list?.hooks ?? []) {
      const key = oneLine(hook.label).toLowerCase();
      const known = hooks.get(key) ?? [];
      if (!known.includes(hook.hook)) hooks.set(key, [...known, hook.hook]);
    }
    const names = new Map(dialects.map((one) => [one.name.toLowerCase(), one.id]));
    return { outcomes, verdicts, hooks, dialects: names };
  }, [dialects, list]);
}

/** What could be typed next, with what it means. Found by the value and by the words on the screen. */
export function useSuggestions(project: string): (text: string) => readonly Suggestion[] {
  const dialects = useDialects();
  const list = useCall("hooks.list", { project }, { enabled: project !== "" }).data;
  const projects = useCall("state", {}).data?.projects;
  const values: Suggestion[] = [
    ...OUTCOMES.map((one) => ({ text: `outcome:${one}`, about: t(`words.outcome.${one}`) })),
    ...VERDICTS.map((one) => ({ text: `verdict:${one}`, about: t(`words.verdict.${one}`) })),
    ...dialects.map((one) => ({ text: `dialect:${one.id}`, about: one.name })),
    ...[...new Map((list?.hooks ?? []).map((hook) => [hook.hook, hook])).values()].map((hook) => ({
      text: `hook:${hook.hook}`,
      about: oneLine(hook.label, 60),
    })),
    ...dialects.flatMap((one) =>
      one.events.map((event) => ({ text: `event:${event.name}`, about: oneLine(textOf(event.about), 60) })),
    ),
    ...(projects ?? []).map(({ path, name }) => ({
      text: tokenText({ field: "project", value: path }),
      about: oneLine(name, 60),
    })),
    ...DURATIONS.map((text) => ({ text, about: t("history.field.dur") })),
    ...SPANS.map((text) => ({ text, about: t("history.field.since") })),
  ];
  return (typed) => {
    const minus = typed.startsWith("-") ? "-" : "";
    const text = typed.slice(minus.length).toLowerCase();
    const fields = FIELDS.filter((one) => one.startsWith(text)).map((one) => ({
      text: `${minus}${one}:`,
      about: t(`history.field.${one}`),
    }));
    if (text === "") return fields;
    const [field, value = ""] = text.includes(":") ? text.split(/:(.*)/s) : [null, text];
    const found = values.filter((one) => {
      const [own = "", rest = ""] = one.text.split(/:(.*)/s);
      if (field !== null && own !== field) return false;
      return (
        rest.toLowerCase().includes(value.replace(/-/g, "_")) ||
        rest.includes(value) ||
        one.about.toLowerCase().includes(value)
      );
    });
    const shown = found.slice(0, MAX_SUGGESTIONS).map((one) => ({ ...one, text: `${minus}${one.text}` }));
    // Several values can have one word on the screen: the word itself means all of them.
    const word = found.find((one) => NAMED.has(field ?? "") && one.about.toLowerCase() === value);
    if (word !== undefined) shown.unshift({ text: `${minus}${text}`, about: word.about });
    if (field !== null) return shown;
    // What was typed may be meant as a text.
    const asText = { text: `${minus}text:${typed.slice(minus.length)}`, about: t("history.field.text") };
    return fields.length + shown.length === 0 ? [] : [...fields, ...shown, asText];
  };
}
