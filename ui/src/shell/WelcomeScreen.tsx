import { FlaskConical, FolderOpen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ActionCard, Empty, MiniChain } from "@/components";
import { useOpenFolder, useOpenSample } from "@/domain/openProject";

/** What there is to see before any project is open: a sample to look around in, or a folder of one's own. */
export function WelcomeScreen() {
  const { t } = useTranslation();
  const openFolder = useOpenFolder();
  const sample = useOpenSample();
  return (
    <>
      <h1 className="visually-hidden">{t("app")}</h1>
      <Empty middle title={t("shell.first.title")} text={t("shell.first.text")}>
        <div style={{ margin: "var(--s-3) 0 var(--s-1)" }}>
          <MiniChain
            steps={[
              { outcome: "no_opinion" },
              { outcome: "changed" },
              { outcome: "no_opinion" },
              { outcome: "denied" },
              { outcome: "skipped", reason: "chain_ended" },
            ]}
          />
        </div>
        <ActionCard
          icon={FlaskConical}
          title={t("shell.first.sample")}
          about={t("shell.first.sampleAbout")}
          onOpen={sample.run}
        />
        <ActionCard
          icon={FolderOpen}
          title={t("shell.first.folder")}
          about={t("shell.first.folderAbout")}
          onOpen={openFolder}
        />
      </Empty>
    </>
  );
}
