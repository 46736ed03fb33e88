/** Makes rows draggable within their list. It draws the handles into the grips of the table. */
import {
  DndContext,
  type DragMoveEvent,
  DragOverlay,
  PointerSensor,
  pointerWithin,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { GripVertical } from "lucide-react";
import { useState } from "react";
import { createPortal } from "react-dom";
import { Icon } from "@/components";
import { listPositionOf } from "@/domain/hooks/facts";
import type { HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { type GripPlace, useGrips } from "./grips";

/** So far the pointer moves before a press becomes a drag, in px. */
const DRAG_DISTANCE = 4;
// The keys that move a hook are told in the sheet; nothing of a drag is for screen readers.
const SILENT = {
  screenReaderInstructions: { draggable: "" },
  announcements: {
    onDragStart: () => undefined,
    onDragOver: () => undefined,
    onDragEnd: () => undefined,
    onDragCancel: () => undefined,
  },
};

export interface DropTarget {
  key: string;
  side: "before" | "after";
}

interface RowDraggingProps {
  onOver: (target: DropTarget | null) => void;
  /** Gives a hook another place in its list. */
  onMove: (hook: HookRow, place: number) => void;
}

export default function RowDragging({ onOver, onMove }: RowDraggingProps) {
  const grips = useGrips();
  const [dragged, setDragged] = useState<HookRow | null>(null);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: DRAG_DISTANCE } }));
  const hookOf = (id: unknown) => grips.get(String(id))?.hook;
  const end = () => {
    setDragged(null);
    onOver(null);
  };
  const showTarget = ({ active, over }: DragMoveEvent) => {
    const from = listPositionOf(hookOf(active.id));
    const to = listPositionOf(hookOf(over?.id));
    if (over === null || from === null || to === null || from.place === to.place) onOver(null);
    else onOver({ key: String(over.id), side: to.place < from.place ? "before" : "after" });
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={pointerWithin}
      accessibility={SILENT}
      onDragStart={({ active }) => setDragged(hookOf(active.id) ?? null)}
      onDragOver={showTarget}
      onDragCancel={end}
      onDragEnd={({ active, over }) => {
        const from = hookOf(active.id);
        const to = listPositionOf(hookOf(over?.id));
        end();
        if (from !== undefined && to !== null && to.place !== from.in_list?.place) onMove(from, to.place);
      }}
    >
      {[...grips].map(([key, place]) =>
        createPortal(<Handle id={key} place={place} list={dragged?.in_list?.list} />, place.element, key),
      )}
      <DragOverlay dropAnimation={null}>
        {dragged === null ? null : (
          <span className="inline-block py-1 px-2 rounded-2 bg-pop shadow-pop text-sm/[inherit] whitespace-nowrap cursor-grabbing">
            {oneLine(dragged.label, 60)}
          </span>
        )}
      </DragOverlay>
    </DndContext>
  );
}

/** `list` is the list of the row that is dragged: only rows of that list take it. */
function Handle({ id, place, list }: { id: string; place: GripPlace; list: string | undefined }) {
  const { listeners, setNodeRef } = useDraggable({ id });
  const row = place.element.closest("tr");
  const { setNodeRef: setRow } = useDroppable({
    id,
    disabled: list !== undefined && place.hook.in_list?.list !== list,
  });
  return (
    <span
      ref={(element) => {
        setNodeRef(element);
        setRow(element === null ? null : row);
      }}
      className="grip-handle grid place-items-center w-full h-full touch-none"
      {...listeners}
    >
      <Icon of={GripVertical} size={12} />
    </span>
  );
}
