import { FlaskConical, FolderOpen, Plus } from "lucide-react";
import { ActionCard, DialectTag, Empty } from "@/components";
import { useNewHook } from "@/domain/newHook/newHook";
import { useOpenFolder, useOpenSample } from "@/domain/openProject";
import { useTranslation } from "@/i18n";
import type { HooksDocument, SourceRow } from "@/ipc";
import { shortPath } from "@/lib/names";

/** No hooks: where they were looked for and what was found there, then the ways on. */
export default function EmptyHooks({ document, project }: { document: HooksDocument; project: string }) {
  const { t } = useTranslation();
  const openFolder = useOpenFolder();
  const sample = useOpenSample();
  const there = document.sources.filter((source) => source.exists);
  const absent = document.sources.filter((source) => !source.exists);
  const row = (source: SourceRow) => (
    <div key={`${source.dialect} ${source.path}`} className="source-row">
      <DialectTag dialect={source.dialect} />
      <span className="mono grow trunc" title={source.path}>
        {shortPath(source.path, project)}
      </span>
      <span className="text-tiny dim">
        {!source.exists
          ? t("hooks.empty.notThere")
          : source.hooks === 0
            ? t("hooks.empty.empty")
            : t("hooks.empty.found", { count: source.hooks })}
      </span>
    </div>
  );
  return (
    <Empty title={t("hooks.empty.title")} text={t("hooks.empty.text", { count: document.sources.length })}>
      <div style={{ margin: "var(--s-2) 0 var(--s-1)" }}>
        {there.map(row)}
        {absent.length > 0 ? (
          <details className="absent-sources">
            <summary className="text-small ink-2">{t("hooks.empty.absent", { count: absent.length })}</summary>
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
        title={t("hooks.empty.sample")}
        about={t("hooks.empty.sampleAbout")}
        onOpen={sample.run}
      />
      <ActionCard
        icon={FolderOpen}
        title={t("hooks.empty.folder")}
        about={t("hooks.empty.folderAbout")}
        onOpen={openFolder}
      />
    </Empty>
  );
}
