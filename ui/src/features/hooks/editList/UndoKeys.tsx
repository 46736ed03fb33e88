import { useUndoKeys } from "./undo";

/** The keys of Undo and Redo, loaded behind the list that they are for. */
export default function UndoKeys({ project }: { project: string | null }) {
  useUndoKeys(project);
  return null;
}
