import { Link } from "@tanstack/react-router";
import { History, ListTree, type LucideIcon, Search, Settings, ShieldQuestionMark, Zap } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon, Logo, Tooltip } from "@/components";
import { useAppState } from "@/domain/project";
import { useTraceRows } from "@/ipc";
import { keyCap } from "@/lib/keys";
import { ProjectSwitcher } from "./ProjectSwitcher";

const LIVE_MS = 3000;

/** True for a moment after something was recorded. */
function useLive(): boolean {
  const [live, setLive] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useTraceRows(() => {
    clearTimeout(timer.current);
    setLive(true);
    timer.current = setTimeout(() => setLive(false), LIVE_MS);
  });
  return live;
}

interface EntryProps {
  to: "/hooks" | "/fire" | "/history" | "/settings";
  icon: LucideIcon;
  label: string;
  digit: string;
  extra?: ReactNode;
}

function Entry({ to, icon, label, digit, extra }: EntryProps) {
  return (
    <Tooltip text={label} chord={digit} side="right">
      <Link to={to} className="nav-i" activeProps={{ className: "on", "aria-current": "page" }} aria-label={label}>
        <Icon of={icon} size={16} />
        <span>{label}</span>
        {extra}
        <kbd aria-hidden="true">{digit}</kbd>
      </Link>
    </Tooltip>
  );
}

export function Nav({ onFind }: { onFind: () => void }) {
  const { t } = useTranslation();
  const live = useLive();
  const pending = useAppState()?.pending ?? 0;
  return (
    <nav className="nav" aria-label={t("shell.nav.label")} data-region tabIndex={-1}>
      <div className="brand">
        <Logo size={20} />
        <span>{t("app")}</span>
      </div>
      <ProjectSwitcher />
      <button type="button" className="find" onClick={onFind} aria-label={t("shell.find")}>
        <Icon of={Search} size={14} />
        <span>{t("shell.find")}</span>
        <kbd aria-hidden="true">{keyCap("Ctrl K")}</kbd>
      </button>
      <div className="nav-list">
        <Entry
          to="/hooks"
          icon={ListTree}
          label={t("shell.nav.hooks")}
          digit="2"
          extra={
            pending > 0 ? (
              <b className="count warn" title={t("shell.status.review", { count: pending })}>
                <Icon of={ShieldQuestionMark} size={12} />
                {pending}
              </b>
            ) : null
          }
        />
        <Entry to="/fire" icon={Zap} label={t("shell.nav.fire")} digit="3" />
        <Entry
          to="/history"
          icon={History}
          label={t("shell.nav.history")}
          digit="4"
          extra={
            live ? (
              <b className="live" role="img" aria-label={t("shell.nav.live")}>
                <i />
              </b>
            ) : null
          }
        />
      </div>
      <div className="nav-foot">
        <Entry to="/settings" icon={Settings} label={t("shell.nav.settings")} digit="9" />
      </div>
    </nav>
  );
}
