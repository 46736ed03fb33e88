/** What a person can do before any project is open: look at their own hooks, at the sample, or open a folder. */
import { FlaskConical, FolderOpen, ListTree } from "lucide-react";
import { ActionCard, DialectTag, InlineCode, Note } from "@/components";
import { useOpenFolder, useOpenSample } from "@/domain/openProject";
import { t } from "@/i18n";
import { useCall } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { shortPath } from "@/lib/names";
import { countByDialect, useOwnHooks } from "./ownHooks";

interface WhatNowProps {
  /** Leads to the user's own hooks, where they are not on show already. */
  onOwnHooks?: () => void;
}

export function WhatNow({ onOwnHooks }: WhatNowProps) {
  const openFolder = useOpenFolder();
  const sample = useOpenSample();
  const dialects = useDialects();
  const dataDir = useCall("state", {}).data?.data_dir ?? "";
  return (
    <>
      <OwnHooksCard onOpen={onOwnHooks} />
      <ActionCard
        icon={FlaskConical}
        title={t("shell.first.sample")}
        about={t("start.sampleAbout")}
        onOpen={sample.run}
      />
      <p className="pt-1 pr-3 pb-1 pl-9.5 wrap-anywhere text-tiny dim">
        <InlineCode text={t("start.sampleFolder", { folder: `\`${sampleFolder(dataDir)}\`` })} />
      </p>
      <ActionCard
        icon={FolderOpen}
        title={t("shell.first.folder")}
        about={t("shell.first.folderAbout")}
        onOpen={openFolder}
      />
      {dialects.length === 0 ? null : (
        <Note kind="plain" className="mt-4" lead={t("start.agentsTitle")}>
          {t("start.agents", { agents: dialects.map((one) => one.name).join(t("list")) })}
        </Note>
      )}
    </>
  );
}

/** Where the sample is copied to, as the engine does it. */
function sampleFolder(dataDir: string): string {
  const slash = dataDir.includes("\\") ? "\\" : "/";
  return shortPath([dataDir, "samples", "starter"].join(slash));
}

/** How many hooks of their own a person has, by dialect. */
function OwnHooksCard({ onOpen }: { onOpen: (() => void) | undefined }) {
  const { document } = useOwnHooks();
  const dialects = useDialects();
  if (document === undefined) return null;
  const counts = countByDialect(document.hooks);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  // Hooks that are turned off are listed, so "none were found" would be wrong.
  if (total === 0 && document.turned_off !== undefined) return null;
  if (total === 0) return <p className="mb-3 [p&]:mt-2 [&_li]:min-h-6 text-small ink-2">{t("start.noOwn")}</p>;
  const title = t("start.own", { count: total });
  const named = counts.map(([dialect, count]) => {
    const name = agentName(dialects, dialect);
    return t("start.ownOf", { name, count });
  });
  if (onOpen) return <ActionCard icon={ListTree} title={title} about={named.join(t("list"))} onOpen={onOpen} />;
  return (
    <div className="mb-3 [p&]:mt-2 [&_li]:min-h-6">
      <p className="medium">{title}</p>
      <ul>
        {counts.map(([dialect], index) => (
          <li key={dialect} className="row text-small ink-2">
            <DialectTag dialect={dialect} />
            {named[index]}
          </li>
        ))}
      </ul>
    </div>
  );
}
