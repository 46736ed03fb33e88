/** Toasts: bottom left of the screen beside the navigation, where no screen has its primary button; 6 s, at most 2. */
import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { Toaster as Sonner, toast as sonner } from "sonner";
import { t } from "@/i18n";
import { Button } from "./Button";
import { Icon } from "./Icon";

export interface ToastAction {
  label: string;
  run: () => void;
}

export type ToastKind = "info" | "warning" | "error";

const SHOWN_MS = 6000;
const LOOKS: Record<ToastKind, LucideIcon> = { info: Info, warning: TriangleAlert, error: CircleX };
const CLASSES = { info: "toast", warning: "toast warn", error: "toast bad" } as const;

export function toast(text: string, action: ToastAction | null, kind: ToastKind = "info"): void {
  sonner.custom(
    (id) => (
      <div className={CLASSES[kind]} role={kind === "error" ? "alert" : "status"}>
        <Icon of={LOOKS[kind]} size={14} />
        <span className="grow wrap">{text}</span>
        {action ? (
          <Button
            size="small"
            onClick={() => {
              sonner.dismiss(id);
              action.run();
            }}
          >
            {action.label}
          </Button>
        ) : null}
      </div>
    ),
    { duration: SHOWN_MS },
  );
}

export function Toaster() {
  return (
    <Sonner
      position="bottom-left"
      visibleToasts={2}
      offset={{ bottom: 36, left: "var(--toast-left)" }}
      gap={8}
      expand
      containerAriaLabel={t("shell.toasts")}
    />
  );
}
