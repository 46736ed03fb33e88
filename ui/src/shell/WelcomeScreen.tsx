import { Empty, MiniChain } from "@/components";
import { WhatNow } from "@/domain/start/WhatNow";
import { t } from "@/i18n";
import { useNavigate } from "@/routes/router";

/** What there is to see on a screen that needs a project, before any is open. */
export default function WelcomeScreen() {
  const navigate = useNavigate();
  return (
    <>
      <h1 className="visually-hidden">{t("app")}</h1>
      <Empty title={t("shell.first.title")} text={t("shell.first.text")}>
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
        <WhatNow onOwnHooks={() => void navigate({ to: "/hooks" })} />
      </Empty>
    </>
  );
}
