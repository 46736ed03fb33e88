/** The filter of the address, with what is wrong with its words in words. */
import { useMemo, useState } from "react";
import type { Token } from "@/components";
import { t } from "@/i18n";
import { FIELDS, type Filter, type FilterProblem, parseFilter } from "./filter";
import { useFilterNames } from "./filterNames";

export interface ShownFilter extends Filter {
  /** The tokens with their problems. */
  shown: Token[];
  /** What is wrong with the first word that cannot be used. */
  problem: string | null;
}

const askedNow = (query: string | undefined) => ({ query, now: Date.now() });

export function useFilter(query: string | undefined, project: string): ShownFilter {
  const names = useFilterNames(project);
  // `since:1h` is an hour before the list was opened or its filter changed.
  const [asked, setAsked] = useState(() => askedNow(query));
  if (asked.query !== query) setAsked(askedNow(query));
  const filter = parseFilter(query, names, asked.now);
  return useMemo(() => {
    const list = (values: readonly string[]) => values.join(t("list"));
    const wordsOf = (problem: FilterProblem) => {
      switch (problem.kind) {
        case "field":
          return t("history.problem.field", { fields: list(FIELDS) });
        case "value":
          return t("history.problem.value", { values: list(problem.values) });
        case "duration":
        case "span":
          return t(`history.problem.${problem.kind}`);
      }
    };
    const shown = filter.tokens.map((token, index) => {
      const problem = filter.problems.get(index);
      return problem === undefined ? token : { ...token, problem: wordsOf(problem) };
    });
    const problem = shown.find((token) => token.problem)?.problem ?? null;
    return { ...filter, shown, problem };
  }, [filter]);
}
