/** From call to call, by hand or by itself, and the request on show. */
import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { Button, Segmented, Select } from "@/components";
import { t } from "@/i18n";
import { type Position, usePlayer } from "./position";
import type { TurnView } from "./timeline";

/** More turns become a select. */
const MOST_SEGMENTS = 4;

interface ScrubberProps {
  turns: readonly TurnView[];
  shown: Position;
}

export function Scrubber({ turns, shown }: ScrubberProps) {
  const player = usePlayer(shown);
  const value = String(shown.turnIndex);
  const items = turns.map((_, index) => ({
    value: String(index),
    label: t("simulator.turn", { number: index + 1 }),
  }));
  const choose = (index: string) => shown.setTurn(Number(index));
  const props = { kind: "default", size: "small" } as const;
  return (
    <>
      <span className="row gap-1">
        <Button
          {...props}
          icon={ChevronLeft}
          label={t("simulator.previousCall")}
          action="call.previous"
          onClick={() => shown.step(-1)}
        />
        <Button
          {...props}
          icon={player.plays ? Pause : Play}
          label={t(player.plays ? "simulator.pause" : "simulator.play")}
          onClick={() => player.setPlays(!player.plays)}
        />
        <Button
          {...props}
          icon={ChevronRight}
          label={t("simulator.nextCall")}
          action="call.next"
          onClick={() => shown.step(1)}
        />
      </span>
      {turns.length < 2 ? null : turns.length <= MOST_SEGMENTS ? (
        <Segmented label={t("simulator.turns")} items={items} value={value} onChange={choose} />
      ) : (
        <Select label={t("simulator.turns")} options={items} value={value} onChange={choose} />
      )}
    </>
  );
}
