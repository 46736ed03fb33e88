/** The words of a hook's texts that often mean an access, each with its line; those that a change added come first. */
import { File, Globe, Terminal } from "lucide-react";
import { Icon } from "@/components";
import { locationOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { TrustReview } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { baseName } from "@/lib/names";

const KINDS = { network: Globe, program: Terminal, file: File } as const;

export function NamedWords({ review }: { review: TrustReview }) {
  if (review.found.length === 0) return null;
  const isChange = review.old !== null && !review.trusted;
  const place = (path: string | null, line: number) =>
    path === null ? t("review.found.definition", { line }) : locationOf({ line, column: null }, baseName(path));
  return (
    <section className="py-3 px-4 border-t border-line-1" aria-label={t("review.found.title")}>
      <p className="row flex-wrap">
        <b className="strong">{t("review.found.title")}</b>
        <span className="text-small dim">{t("review.found.how")}</span>
      </p>
      <div className="grid gap-x-5 gap-y-3 mt-3 grid-cols-[repeat(auto-fit,minmax(160px,1fr))]">
        {(Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => {
          const words = review.found.filter((one) => one.kind === kind);
          const added = words.filter((one) => one.new);
          const isNew = isChange && added.length > 0;
          return (
            <div key={kind} className="min-w-0">
              <h3 className="row pb-1.5 mb-1.5 border-b border-line-1">
                <span className={isNew ? "ink-late" : "dim"}>
                  <Icon of={KINDS[kind]} size={14} />
                </span>
                <span className="grow text-small text-ink-1">{t(`review.found.${kind}`)}</span>
                <span className={isNew ? "ink-late" : undefined}>
                  {words.length === 0
                    ? t("none")
                    : isNew
                      ? t("review.found.added", { count: added.length })
                      : isChange
                        ? t("review.found.same")
                        : words.length}
                </span>
              </h3>
              <ul className="flex flex-col gap-1">
                {[...added, ...words.filter((one) => !one.new)].map((one) => (
                  <li key={`${one.path} ${one.line} ${one.word}`} className="flex gap-2 items-baseline">
                    <span className={`mono wrap grow ${isChange && one.new ? "ink-late" : ""}`}>
                      {escapeInvisible(one.word)}
                    </span>
                    <span className="mono text-tiny dim text-right wrap">{place(one.path, one.line)}</span>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      <p className="text-small dim mt-3">{t("review.found.note")}</p>
    </section>
  );
}
