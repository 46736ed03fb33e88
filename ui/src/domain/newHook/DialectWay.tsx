/** A new hook from one of another dialect: the hooks, then the conversion. */
import { useState } from "react";
import { DialectTag, Empty } from "@/components";
import { Conversion } from "@/domain/convert/ConvertSheet";
import { t } from "@/i18n";
import { oneLine } from "@/lib/escape";
import type { WayProps } from "./AddConfirm";
import { ChooseFirst } from "./ChooseFirst";

export default function DialectWay({ project, hooks, onClose }: WayProps) {
  const [marked, setMarked] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  // A hook that serves several events is one row for each.
  const each = hooks.filter((row, index) => hooks.findIndex(({ hook }) => hook === row.hook) === index);
  const hook = each.find((one) => one.hook === chosen);
  if (each.length === 0) return <Empty title={t("newHook.noHooks")} text={t("newHook.noHooksText")} />;
  if (hook !== undefined) return <Conversion hook={hook} project={project} onClose={onClose} />;
  const at = marked ?? each[0]?.hook ?? "";
  return (
    <ChooseFirst
      label={t("newHook.hooks")}
      value={at}
      onChange={setMarked}
      empty={t("newHook.noHooks")}
      items={each.map((one) => ({
        value: one.hook,
        label: (
          <span className="row">
            <DialectTag dialect={one.dialect} />
            <b className="medium trunc">{oneLine(one.label, 60)}</b>
            <span className="mono dim trunc text-tiny">{one.event}</span>
          </span>
        ),
      }))}
      doLabel={t("newHook.convert")}
      onDo={() => setChosen(at)}
      onClose={onClose}
    />
  );
}
