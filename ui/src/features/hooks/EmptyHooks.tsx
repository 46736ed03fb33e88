import { FlaskConical, FolderOpen, Plus } from "lucide-react";
import { ActionCard, Cut, DialectTag, Empty } from "@/components";
import { useNewHook } from "@/domain/newHook/newHook";
import { useOpenFolder, useOpenSample } from "@/domain/openProject";
import { t } from "@/i18n";
import type { HooksDocument, SourceRow } from "@/ipc";
import { shortPath } from "@/lib/names";

/** No hooks: where they were looked for and what was found there, then the ways on. */
export default function EmptyHooks({ document, project }: { document: HooksDocument; project: string }) {
  const openFolder = useOpenFolder();
  const sample = useOpenSample();
  const there = document.sources.filter((source) => source.exists);
  const absent = document.sources.filter((source) => !source.exists);
  const row = (source: SourceRow) => (
    <div key={`${source.dialect} ${source.path}`} className="flex gap-2 min-h-6 items-center text-sm/[inherit]">
      <DialectTag dialect={source.dialect} />
      <Cut className="mono grow" text={source.path}>
        {shortPath(source.path, project)}
      </Cut>
      <span className="text-tiny dim">
        {!source.exists
          ? t("emptyHooks.notThere")
          : source.hooks === 0
            ? t("emptyHooks.empty")
            : t("emptyHooks.found", { count: source.hooks })}
      </span>
    </div>
  );
  return (
    <Empty title={t("emptyHooks.title")} text={t("emptyHooks.text", { count: document.sources.length })}>
      <div style={{ margin: "var(--s-2) 0 var(--s-1)" }}>
        {there.map(row)}
        {absent.length > 0 ? (
          <details>
            <summary className="text-small ink-2">{t("emptyHooks.absent", { count: absent.length })}</summary>
            {absent.map(row)}
          </details>
        ) : null}
      </div>
      <ActionCard
        icon={Plus}
        title={t("newHook.ask")}
        about={t("newHook.askAbout")}
        onOpen={() => useNewHook.getState().ask({})}
      />
      <ActionCard
        icon={FlaskConical}
        title={t("emptyHooks.sample")}
        about={t("emptyHooks.sampleAbout")}
        onOpen={sample.run}
      />
      <ActionCard
        icon={FolderOpen}
        title={t("emptyHooks.folder")}
        about={t("emptyHooks.folderAbout")}
        onOpen={openFolder}
      />
    </Empty>
  );
}
