/** Where a new hook is written. */
import { Segmented } from "@/components";
import { t } from "@/i18n";

interface LayerFieldProps {
  layers: readonly string[];
  value: string;
  onChange: (layer: string) => void;
}

export function LayerField({ layers, value, onChange }: LayerFieldProps) {
  return (
    <div className="field">
      <span className="field-label">{t("newHook.where")}</span>
      <Segmented
        label={t("newHook.where")}
        value={value}
        onChange={onChange}
        items={layers.map((one) => ({ value: one, label: t(`newHook.layer.${one as "user"}`) }))}
      />
      <span className="field-note">{t(`newHook.layerAbout.${value as "user"}`)}</span>
    </div>
  );
}
