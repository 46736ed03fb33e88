/** A new hook: what it begins with, and the exact text that is added, before anything is written. */

import { useState } from "react";
import { Segmented, Sheet, Skeleton } from "@/components";
import { useUnsaved } from "@/domain/edits/useUnsaved";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { type HooksDocument, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import DialectWay from "./DialectWay";
import { EventWay } from "./EventWay";
import { useNewHook, WAYS, type Wanted, type Way } from "./newHook";
import RecordedWay from "./RecordedWay";
import SampleWay from "./SampleWay";

export default function NewHookSheet() {
  const wanted = useNewHook((store) => store.wanted);
  const close = useNewHook((store) => store.close);
  const project = useProject();
  const list = useCall("hooks.list", { project: project ?? "" }, { enabled: project !== null });
  const [isTyped, setTyped] = useState(false);
  const unsaved = useUnsaved(isTyped && wanted !== null, close);
  if (wanted === null || project === null) return null;
  return (
    <Sheet open wide title={t("newHook.title")} onClose={unsaved.close}>
      {unsaved.question}
      {list.data === undefined ? (
        <Skeleton what={t("newHook.title")} height={40} />
      ) : (
        <Ways project={project} wanted={wanted} list={list.data} onClose={close} onTyped={setTyped} />
      )}
    </Sheet>
  );
}

interface WaysProps {
  project: string;
  wanted: Wanted;
  list: HooksDocument;
  onClose: () => void;
  /** Whether something was typed that is lost when the sheet is closed. */
  onTyped: (isTyped: boolean) => void;
}

function Ways({ project, wanted, list, onClose, onTyped }: WaysProps) {
  const ask = useNewHook((store) => store.ask);
  const [chosen, setChosen] = useState<Way | null>(null);
  const dialects = useDialects();
  const way = chosen ?? wanted.way ?? (wanted.recorded === undefined ? "event" : "recorded");
  const first = firstDialect(
    dialects.filter((one) => one.shelves.length > 0),
    list,
    wanted.dialect,
  );
  const props = { project, hooks: list.hooks, onClose };
  return (
    <>
      <div className="flex flex-wrap items-center gap-y-2 gap-x-3 py-3 px-4 border-b border-line-1 [&_.segmented]:max-w-full [&_.segmented]:overflow-x-auto">
        <Segmented
          label={t("newHook.way")}
          value={way}
          onChange={setChosen}
          items={WAYS.map((value) => ({ value, label: t(`newHook.ways.${value}`) }))}
        />
        <span className="field-note">{t(`newHook.waysAbout.${way}`)}</span>
      </div>
      {way === "sample" ? (
        <SampleWay {...props} wanted={wanted.sample} />
      ) : way === "dialect" ? (
        <DialectWay {...props} />
      ) : way === "recorded" ? (
        <RecordedWay
          {...props}
          recorded={wanted.recorded}
          onEvent={(event) => {
            setChosen("event");
            ask(event);
          }}
        />
      ) : first === undefined ? (
        <Skeleton what={t("newHook.title")} height={40} />
      ) : (
        <EventWay
          {...props}
          key={`${first.id} ${wanted.event}`}
          wanted={{ ...wanted, dialect: first.id }}
          onTyped={onTyped}
        />
      )}
    </>
  );
}
