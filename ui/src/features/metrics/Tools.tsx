/** What hooks did about the calls of tools, for agents that count them. */
import { DialectTag } from "@/components";
import { t } from "@/i18n";
import { count, duration } from "@/i18n/format";
import type { Reply } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { baseName } from "@/lib/names";
import { counterName, inCounterOrder } from "./counters";

export function Tools({ tools }: { tools: Reply<"stats">["tools"] }) {
  if (tools.length === 0) return null;
  const counters = inCounterOrder(tools.flatMap((row) => Object.keys(row.native)));
  const text = (name: string, value: number | undefined) =>
    value === undefined ? "–" : name.endsWith("_ms") ? duration(value) : count(value);
  return (
    <section
      className="flex-none max-h-38 border-t border-t-line-2 [&_caption]:py-2 [&_caption]:px-4 [&_caption]:text-left scroll"
      aria-label={t("metrics.byTool")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and has nothing to focus in it
      tabIndex={0}
    >
      <table>
        <caption className="medium">{t("metrics.byTool")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("metrics.column.tool")}</th>
            <th scope="col">{t("metrics.filter.project")}</th>
            {counters.map((name) => (
              <th key={name} scope="col" className="right">
                {counterName(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((row) => (
            <tr key={`${row.dialect} ${row.project} ${row.tool}`}>
              <td>
                <span className="row">
                  <DialectTag dialect={row.dialect} />
                  <span className="mono">{oneLine(row.tool, 60)}</span>
                </span>
              </td>
              <td className="dim">{row.project === null ? "–" : baseName(row.project)}</td>
              {counters.map((name) => (
                <td key={name} className="right mono">
                  {text(name, row.native[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
