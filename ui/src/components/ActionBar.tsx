/** The actions at the foot of a pane, on one line: what does not fit goes into the menu, from the right. */
import { Ellipsis } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button } from "./Button";
import { Menu, type MenuItem } from "./Menu";

export interface BarAction extends MenuItem {
  busy?: boolean;
  /** It is on until it is pressed again. */
  pressed?: boolean;
}

interface ActionBarProps {
  /** In their fixed order, the most wanted first. */
  items: readonly BarAction[];
  /** Always in the menu. */
  more?: readonly MenuItem[];
}

export function ActionBar({ items, more = [] }: ActionBarProps) {
  const row = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(items.length);
  useLayoutEffect(() => {
    const shown = row.current;
    if (shown === null) return undefined;
    const measure = () => {
      const all = [...shown.children] as HTMLElement[];
      // What wrapped into the second, hidden line is left out.
      setFits(all.filter((button) => button.offsetTop === all[0]?.offsetTop).length);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    return () => observer.disconnect();
  });
  const hidden = [...items.slice(fits), ...more];
  return (
    <div className="flex gap-2 items-center h-bar px-3 border-t border-line-2 flex-none">
      <div ref={row} className="flex flex-wrap gap-2 grow h-7 overflow-hidden p-0.5 -m-0.5 box-content">
        {items.map(({ label, icon, action, busy, pressed, disabled, run }, index) => (
          <Button
            key={label}
            kind={index === 0 ? "default" : "ghost"}
            icon={icon}
            action={action}
            busy={busy}
            aria-pressed={pressed}
            className={index < fits ? undefined : "invisible"}
            disabledBecause={disabled ? label : null}
            onClick={run}
          >
            {label}
          </Button>
        ))}
      </div>
      {hidden.length > 0 ? (
        <Menu items={hidden}>
          <Button kind="ghost" size="small" icon={Ellipsis} label={t("more")} />
        </Menu>
      ) : null}
    </div>
  );
}
