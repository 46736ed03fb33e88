/** What a row is taken by. Where the order is not the file's, it says what the order is. */
import { GripVertical } from "lucide-react";
import { useEffect, useRef } from "react";
import { Icon, Tooltip } from "@/components";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { addGrip } from "./grips";
import { hasPosition, useOrder } from "./order";

/** `id` is the key of the row. */
export function Grip({ hook, id }: { hook: HookRow; id: string }) {
  const orderOf = useOrder();
  const box = useRef<HTMLSpanElement>(null);
  const movable = (hook.in_list?.count ?? 0) > 1;
  useEffect(() => {
    if (!movable || box.current === null) return undefined;
    return addGrip(id, { hook, element: box.current });
  }, [movable, hook, id]);
  if (!hasPosition(hook) || (hook.in_list !== null && !movable)) return null;
  return (
    <Tooltip text={movable ? t("hooks.edit.drag") : orderOf(hook)}>
      <span
        ref={box}
        className={
          movable
            ? "grip absolute left-0 top-0 bottom-0 w-3.5 grid place-items-center text-ink-3 cursor-grab opacity-0 [tr:hover_&]:opacity-100 [tr.on_&]:opacity-100 [tr:focus-visible_&]:opacity-100"
            : "grip absolute left-0 top-0 bottom-0 w-3.5 grid place-items-center opacity-0 [tr:hover_&]:opacity-100 [tr.on_&]:opacity-100 [tr:focus-visible_&]:opacity-100 locked cursor-help text-ink-4"
        }
      >
        {movable ? null : <Icon of={GripVertical} size={12} />}
      </span>
    </Tooltip>
  );
}
