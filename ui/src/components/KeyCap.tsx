import { Fragment } from "react";
import { type ActionId, keyOf } from "@/commands";
import { t } from "@/i18n";
import { keyCap } from "@/lib/keys";

/** The key of an action as a cap; one cap each where keys follow each other. Read in the shortcut sheet only. */
export function KeyCap({ action, spoken = false }: { action: ActionId; spoken?: boolean }) {
  const keys = keyOf(action)?.split(" then ") ?? [];
  return keys.map((key, index) => (
    <Fragment key={key}>
      {index > 0 ? (
        <span className={spoken ? "text-tiny dim" : undefined}>{spoken ? t("followedBy") : " "}</span>
      ) : null}
      <kbd aria-hidden={spoken ? undefined : true}>{keyCap(key)}</kbd>
    </Fragment>
  ));
}
