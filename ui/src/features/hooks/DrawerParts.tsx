/** What the drawers of a hook have in common, be it on, turned off or shown without a project. */
import { Ellipsis } from "lucide-react";
import type { Ref } from "react";
import { HandlerIcon, Icon, Menu, type MenuItem } from "@/components";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";

export function DrawerTitle({ hook }: { hook: HookRow }) {
  const name = oneLine(hook.label);
  return (
    <>
      <span className="ink-accent [&_.dim]:text-accent">
        <HandlerIcon handler={hook.handler} size={16} />
      </span>
      <h2 className="trunc" title={name}>
        {name}
      </h2>
    </>
  );
}

interface MoreMenuProps {
  items: readonly (MenuItem | null)[];
  buttonRef?: Ref<HTMLButtonElement>;
}

export function MoreMenu({ items, buttonRef }: MoreMenuProps) {
  return (
    <Menu items={items}>
      <button ref={buttonRef} type="button" className="button ghost small icon-only" aria-label={t("more")}>
        <Icon of={Ellipsis} size={14} />
      </button>
    </Menu>
  );
}
