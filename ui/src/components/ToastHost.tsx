import { CircleX, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import { Toaster as Sonner, toast as sonner } from "sonner";
import { useTranslation } from "@/i18n";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { onToast, type ToastKind, type ToastRequest, takeToasts } from "./Toast";

const SHOWN_MS = 6000;
const LOOKS: Record<ToastKind, LucideIcon> = { info: Info, warning: TriangleAlert, error: CircleX };
const CLASSES = { info: "toast", warning: "toast warn", error: "toast bad" } as const;

function show({ text, action, kind }: ToastRequest): void {
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

/** Shows what was asked for before it was loaded, and since. */
export default function ToastHost() {
  const { t } = useTranslation();
  useEffect(() => {
    const showAll = () => takeToasts().forEach(show);
    showAll();
    return onToast(showAll);
  }, []);
  return (
    <Sonner
      position="bottom-right"
      visibleToasts={2}
      offset={{ bottom: 36, right: 16 }}
      gap={8}
      expand
      containerAriaLabel={t("shell.toasts")}
    />
  );
}
