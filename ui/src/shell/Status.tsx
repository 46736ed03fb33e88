import { Eye, EyeOff, FolderDot, Plug, RadioTower, ShieldCheck, ShieldOff } from "lucide-react";
import { Icon, Tooltip } from "@/components";
import { useSetAppearance } from "@/domain/appearance";
import { useAppState, useProject } from "@/domain/project";
import { currentLanguage, t } from "@/i18n";
import { bytes } from "@/i18n/format";
import { say } from "@/i18n/messages";
import { baseName } from "@/lib/names";
import { useConnection } from "@/live/connection";
import { Link } from "@/routes/router";

const ITEM = "flex h-full min-w-0 flex-none items-center gap-1.25 overflow-hidden text-ellipsis";

/** 24 px, never animates; a problem replaces the item in place. */
export function Status() {
  const language = currentLanguage();
  const data = useAppState();
  const project = useProject();
  const { engine, line } = useConnection();
  const { setLanguage } = useSetAppearance();
  const stopped = engine === "stopped" || line === "down";
  const chinese = language === "zh-CN";
  const watching = data?.watching;
  const absent = watching === undefined ? 0 : watching.sources - watching.there;
  const store = data?.store;
  return (
    <footer className="col-span-full bg-0 border-t border-line-2 flex items-center gap-4 px-3 text-xs/[inherit] text-ink-3 whitespace-nowrap">
      {project === null ? null : (
        <Tooltip text={project}>
          <span className={`${ITEM} docked:hidden max-w-45 font-medium`}>
            <Icon of={FolderDot} size={12} />
            {baseName(project)}
          </span>
        </Tooltip>
      )}
      {stopped ? (
        <span className={`${ITEM} text-deny`} role="status">
          <Icon of={RadioTower} size={12} />
          {t("shell.status.stopped")}
        </span>
      ) : data?.engine.mode === "attached" ? (
        <span className={`${ITEM} text-allow`}>
          <Icon of={Plug} size={12} />
          {t("shell.status.attached")}
        </span>
      ) : data?.engine.listening ? (
        <span className={`${ITEM} text-allow`}>
          <Icon of={RadioTower} size={12} />
          {t("shell.status.listening")}
        </span>
      ) : null}
      {watching === undefined ? null : watching.live ? (
        <Tooltip text={absent > 0 ? t("shell.status.notThere", { count: absent }) : null}>
          <span className={ITEM}>
            <Icon of={Eye} size={12} />
            {t("shell.status.watching", { count: watching.there })}
          </span>
        </Tooltip>
      ) : (
        <Tooltip text={say(watching, watching.why)}>
          <span className={`${ITEM} text-late hover:text-ink-1`}>
            <Icon of={EyeOff} size={12} />
            {t("shell.status.notLive")}
          </span>
        </Tooltip>
      )}
      {data === undefined ? null : (
        <Link
          to="/settings"
          search={{ section: "redaction" }}
          className={data.redaction ? `${ITEM} hover:text-ink-1` : `${ITEM} text-late hover:text-ink-1`}
        >
          <Icon of={data.redaction ? ShieldCheck : ShieldOff} size={12} />
          {data.redaction ? t("shell.status.redactionOn") : t("shell.status.redactionOff")}
        </Link>
      )}
      <span className="spacer" />
      {store?.ok && store.why !== null ? (
        <Tooltip text={say(store, store.why)}>
          <Link to="/settings" search={{ section: "history" }} className={`${ITEM} text-late hover:text-ink-1`}>
            {t("shell.status.storeNew")}
          </Link>
        </Tooltip>
      ) : null}
      {store === undefined ? null : store.ok ? (
        <span className={`${ITEM} tabular-nums max-paired:hidden`}>
          {t("shell.status.store", { count: store.traces, size: bytes(store.bytes) })}
        </span>
      ) : (
        <Tooltip text={say(store, store.why)}>
          <Link to="/settings" search={{ section: "history" }} className={`${ITEM} text-deny hover:text-ink-1`}>
            {t("shell.status.storeBroken")}
          </Link>
        </Tooltip>
      )}
      {data === undefined ? null : (
        <span className={`${ITEM} tabular-nums max-paired:hidden`}>
          {t("shell.status.engine", { version: data.version })}
        </span>
      )}
      <button
        type="button"
        className={`${ITEM} hover:text-ink-1`}
        onClick={() => setLanguage(chinese ? "en" : "zh-CN")}
      >
        {t(chinese ? "language.zh-CN" : "language.en")}
      </button>
    </footer>
  );
}
