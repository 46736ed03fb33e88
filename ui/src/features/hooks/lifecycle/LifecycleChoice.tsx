import { Segmented, Select, Switch } from "@/components";
import { t } from "@/i18n";
import type { HooksDocument } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import type { HooksSearch } from "@/routes/search";

/** More choices than this become a select. */
const MOST_SEGMENTS = 5;

interface LifecycleChoiceProps {
  document: HooksDocument | undefined;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

/** Which dialect's life is on show, and whether events without hooks are too, for the page bar. */
export default function LifecycleChoice({ document, search, onChange }: LifecycleChoiceProps) {
  const dialects = useDialects();
  const shown = firstDialect(dialects, document, search.dialect);
  if (shown === undefined) return null;
  const choose = (dialect: string) => onChange({ dialect, event: undefined });
  const items = dialects.map((one) => ({ value: one.id, label: one.name }));
  const choice =
    dialects.length > MOST_SEGMENTS ? (
      <Select label={t("lifecycle.dialect")} value={shown.id} options={items} onChange={choose} />
    ) : (
      <Segmented label={t("lifecycle.dialect")} value={shown.id} items={items} onChange={choose} />
    );
  return (
    <>
      <span className="lifecycle-hooked">
        <Switch
          on={search.events === "hooked"}
          label={t("lifecycle.hooked")}
          onChange={(on) => onChange({ events: on ? "hooked" : undefined })}
        />
        <span aria-hidden="true">{t("lifecycle.hooked")}</span>
      </span>
      {dialects.length < 2 ? null : choice}
    </>
  );
}
