/** What applies to a whole event: texts of its hooks for the user, and warnings of the engine. */
import { Note } from "@/components";
import { useMessages } from "@/i18n/messages";
import type { Notice } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";

export function Notices({ notices }: { notices: readonly Notice[] | undefined }) {
  const { say } = useMessages();
  return (notices ?? []).map((notice, index) => {
    const text = escapeInvisible(say(notice, notice.text));
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: notices have no names, and come all at once
      <Note key={index} kind={notice.kind === "warning" ? "warning" : "plain"} className="flat">
        {notice.code ? capitalizeFirst(text) : text}
      </Note>
    );
  });
}
