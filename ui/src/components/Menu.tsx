import type { LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import type { ActionId } from "@/commands";
import { Icon } from "./Icon";
import { InertPage } from "./InertPage";
import { KeyCap } from "./KeyCap";

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  /** The action that does the same; its key is shown. */
  action?: ActionId;
  disabled?: boolean;
  run: () => void;
}

/** A menu under `children`, which must be one button. `null` draws a line. */
export function Menu({ items, children }: { items: readonly (MenuItem | null)[]; children: ReactNode }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="popover" align="end" sideOffset={4} collisionPadding={8}>
          <InertPage />
          {items.map((item, index) =>
            item === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name
              <DropdownMenu.Separator key={index} className="popover-line" />
            ) : (
              <DropdownMenu.Item key={item.label} className="popover-item" disabled={item.disabled} onSelect={item.run}>
                {item.icon ? <Icon of={item.icon} size={14} /> : null}
                <span className="grow">{item.label}</span>
                {item.action ? <KeyCap action={item.action} /> : null}
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
