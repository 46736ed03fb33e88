/** What the drawers of a hook have in common, be it on, turned off or shown without a project. */
import { Ellipsis } from "lucide-react";
import type { Ref } from "react";
import { Button, HandlerIcon, Menu, type MenuItem, Tooltip } from "@/components";
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
      <Tooltip text={name} onlyCut>
        <h2 className="trunc">{name}</h2>
      </Tooltip>
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
      <Button ref={buttonRef} kind="ghost" size="small" icon={Ellipsis} label={t("more")} />
    </Menu>
  );
}
