/** What layers, handlers and dialects look like: neutral ink, an icon and a word. */
import {
  BookOpen,
  Box,
  Cable,
  Clock,
  FileCode,
  FolderDot,
  Globe,
  type LucideIcon,
  MessageSquarePlus,
  Sparkles,
  Terminal,
  User,
  Workflow,
} from "lucide-react";
import { t } from "@/i18n";
import type { Layer } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { Icon } from "./Icon";
import { Tooltip } from "./Tooltip";

const LAYERS: Record<Layer, LucideIcon> = {
  builtin: Box,
  user: User,
  project: FolderDot,
  session: Clock,
  skill: BookOpen,
};

export function LayerIcon({ layer, size = 14 }: { layer: Layer; size?: 12 | 14 }) {
  return <Icon of={LAYERS[layer]} size={size} />;
}

const HANDLERS = {
  shell: Terminal,
  script: FileCode,
  peer: Cable,
  callback: Workflow,
  prompt: Sparkles,
  http: Globe,
  insert: MessageSquarePlus,
  builtin: Box,
  mod: Box,
} as const;

export type HandlerKind = keyof typeof HANDLERS;

/** The handler's kind; a word that is new to this build is shown as a command. */
export function handlerKind(handler: string): HandlerKind {
  return handler in HANDLERS ? (handler as HandlerKind) : "shell";
}

/** Whether a handler starts nothing: no streams, no process, no time limit, and it cannot fail. */
export function startsNothing(handler: string): boolean {
  const kind = handlerKind(handler);
  return kind === "insert" || kind === "builtin" || kind === "mod";
}

export function HandlerIcon({ handler, size = 14 }: { handler: string; size?: 12 | 14 | 16 }) {
  const kind = handlerKind(handler);
  const title = t(`words.handlerTitle.${kind}`);
  return (
    <Tooltip text={title}>
      <i className="dim kind">
        <span className="visually-hidden">{title}</span>
        <Icon of={HANDLERS[kind]} size={size} />
      </i>
    </Tooltip>
  );
}

/** `jc` with the dialect's name as tooltip and accessible name. */
export function DialectTag({ dialect }: { dialect: string }) {
  const known = useDialect(dialect);
  const name = known?.name ?? dialect;
  return (
    <Tooltip text={name}>
      <span className="dialect-tag" role="img" aria-label={name}>
        {(known?.tag ?? dialect.slice(0, 2)).toLowerCase()}
      </span>
    </Tooltip>
  );
}
