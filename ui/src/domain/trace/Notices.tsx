/** What applies to a whole event: texts of its hooks for the user, and warnings of the engine. */
import { Note } from "@/components";
import { say } from "@/i18n/messages";
import type { Notice } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";
import { uniqueKeys } from "@/lib/uniqueKeys";

export function Notices({ notices }: { notices: readonly Notice[] | undefined }) {
  const keys = uniqueKeys((notices ?? []).map((notice) => notice.text));
  return (notices ?? []).map((notice, index) => {
    const text = escapeInvisible(say(notice, notice.text));
    return (
      <Note key={keys[index]} kind={notice.kind === "warning" ? "warning" : "plain"} className="flat">
        {notice.code ? capitalizeFirst(text) : text}
      </Note>
    );
  });
}
