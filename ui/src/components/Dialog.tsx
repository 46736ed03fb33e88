import type { LucideIcon } from "lucide-react";
import { AlertDialog, Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { t } from "@/i18n";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { KeyCap } from "./KeyCap";

interface ConfirmProps {
  open: boolean;
  icon: LucideIcon;
  tone?: "warn" | "deny";
  title: string;
  children: ReactNode;
  safeLabel: string;
  doLabel: string;
  /** Why it cannot be done yet. */
  doDisabledBecause?: string | false;
  onClose: () => void;
  onDo: () => void;
  busy?: boolean;
}

/** Asks before something that cannot simply be undone. The safe choice has the focus. */
export function Confirm(props: ConfirmProps) {
  const safe = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open={props.open} onOpenChange={(open) => (open ? undefined : props.onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="scrim above" />
        <AlertDialog.Content
          className="dialog above"
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            safe.current?.focus();
          }}
        >
          <div className="dialog-head">
            <span className={props.tone === "deny" ? "ink-deny" : "ink-late"}>
              <Icon of={props.icon} size={20} />
            </span>
            <AlertDialog.Title className="title-text wrap">{props.title}</AlertDialog.Title>
          </div>
          <AlertDialog.Description asChild>
            <div className="dialog-body text-small ink-2">{props.children}</div>
          </AlertDialog.Description>
          <div className="dialog-foot">
            <Button ref={safe} action="dialog.close" onClick={props.onClose}>
              {props.safeLabel}
            </Button>
            <Button
              kind={props.tone === "deny" ? "danger" : "primary"}
              busy={props.busy}
              disabledBecause={props.doDisabledBecause}
              onClick={props.onDo}
            >
              {props.doLabel}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** What is filled in; a group of radios has a hidden input each. */
const FIELDS = 'input:not([aria-hidden="true"]), textarea, [role="combobox"]';

interface SheetProps {
  open: boolean;
  title: string;
  /** Drawn in place of the plain title bar; has to contain `title` itself. */
  head?: ReactNode;
  wide?: boolean;
  /** Nearly as large as the window. */
  full?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that is read rather than answered. */
export function Sheet({ open, title, head, wide, full, onClose, children }: SheetProps) {
  return (
    <Radix.Root open={open} onOpenChange={(now) => (now ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className={full ? "dialog wide-dialog full-dialog" : wide ? "dialog wide-dialog" : "dialog"}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // A question begins at its answer, and a form at its first field, not at Close.
            const content = event.currentTarget as HTMLElement;
            const field =
              content.querySelector<HTMLElement>("[data-focus]") ?? content.querySelector<HTMLElement>(FIELDS);
            if (field === null) return;
            event.preventDefault();
            field.focus();
          }}
        >
          {head ? (
            <>
              <Radix.Title className="visually-hidden">{title}</Radix.Title>
              {head}
            </>
          ) : (
            <div className="pane-head strong-line">
              <Radix.Title asChild>
                <h2>{title}</h2>
              </Radix.Title>
              <span className="spacer" />
              <Radix.Close asChild>
                <button type="button" className="button ghost small">
                  {t("close")} <KeyCap action="dialog.close" />
                </button>
              </Radix.Close>
            </div>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
