/** A new hook from a sample: the gallery, and everything that would be written. */
import { useMemo, useState } from "react";
import { DialectTag, FaultNote, Field, Input, Select, Skeleton } from "@/components";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import { type Sample, useCall } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { AddConfirm, type WayProps } from "./AddConfirm";
import { ChoiceList } from "./ChoiceList";
import { LayerField } from "./LayerField";

/** In place of a dialect: the list box shows nothing for an empty value. */
const ALL = "all";

/** `wanted` is the id of the sample that is chosen first. */
export default function SampleWay({ wanted, ...props }: WayProps & { wanted: string | undefined }) {
  const list = useCall("samples.list", {});
  const gallery = useGallery(wanted, list.data?.samples);
  const [layer, setLayer] = useState<string | null>(null);
  const { chosen } = gallery;
  const at = chosen?.layers.find((one) => one === layer) ?? chosen?.layers[0];
  if (list.error !== null) return <FaultNote fault={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Skeleton what={t("newHook.samples")} height={40} />;
  const { project } = props;
  return (
    <AddConfirm
      {...props}
      method="samples.add"
      request={
        chosen === undefined ? null : { project, sample: chosen.sample, ...(at === undefined ? {} : { layer: at }) }
      }
      form={<GalleryForm gallery={gallery} layer={at} onLayer={setLayer} />}
      nothing={t("newHook.noSample")}
      doLabel={t("newHook.addSample")}
    />
  );
}

interface Gallery {
  found: readonly Sample[];
  chosen: Sample | undefined;
  search: string;
  dialect: string;
  setSearch: (search: string) => void;
  setDialect: (dialect: string) => void;
  choose: (sample: string) => void;
}

/** The samples that match the search, and the chosen one: the first if none was chosen. */
function useGallery(wanted: string | undefined, samples: readonly Sample[] = []): Gallery {
  const [search, setSearch] = useState("");
  const [dialect, setDialect] = useState(ALL);
  const [sample, choose] = useState(wanted);
  const found = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/);
    return samples.filter((one) => {
      const said = `${one.sample} ${one.events.join(" ")} ${textOf(one.about)}`.toLowerCase();
      return (dialect === ALL || one.dialect === dialect) && words.every((word) => said.includes(word));
    });
  }, [samples, search, dialect]);
  const chosen = found.find((one) => one.sample === sample) ?? found[0];
  return { found, chosen, search, dialect, setSearch, setDialect, choose };
}

interface GalleryFormProps {
  gallery: Gallery;
  layer: string | undefined;
  onLayer: (layer: string) => void;
}

function GalleryForm({ gallery, layer, onLayer }: GalleryFormProps) {
  const dialects = useDialects();
  const { chosen } = gallery;
  return (
    <form
      className="flex flex-col gap-3 p-4 [&_.segmented]:self-start [&_.segmented]:max-w-full [&_.segmented]:overflow-x-auto [&_textarea]:whitespace-pre [&_textarea]:overflow-x-auto max-paired:overflow-visible scroll"
      onSubmit={(submitted) => submitted.preventDefault()}
    >
      <Field label={t("search")}>
        {({ id }) => (
          <Input id={id} value={gallery.search} onChange={(changed) => gallery.setSearch(changed.target.value)} />
        )}
      </Field>
      <Field label={t("newHook.dialect")}>
        {({ id }) => (
          <Select
            id={id}
            label={t("newHook.dialect")}
            value={gallery.dialect}
            options={[
              { value: ALL, label: t("newHook.allDialects") },
              ...dialects.map((one) => ({ value: one.id, label: one.name })),
            ]}
            onChange={gallery.setDialect}
          />
        )}
      </Field>
      <ChoiceList
        label={t("newHook.samples")}
        value={chosen?.sample ?? ""}
        onChange={gallery.choose}
        empty={t("noneFound")}
        items={gallery.found.map((one) => ({
          value: one.sample,
          label: (
            <>
              <span className="row">
                <DialectTag dialect={one.dialect} />
                <b className="medium mono nowrap">{one.name}</b>
                <span className="mono dim trunc text-tiny">{one.events.join(" ")}</span>
              </span>
              <span className="text-small ink-2">{textOf(one.about)}</span>
            </>
          ),
        }))}
      />
      {chosen === undefined || layer === undefined ? null : (
        <LayerField layers={chosen.layers} value={layer} onChange={onLayer} />
      )}
    </form>
  );
}
