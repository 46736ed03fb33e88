import { ChevronDown, ChevronUp } from "lucide-react";
import { t } from "@/i18n";
import { Button } from "./Button";

interface StepButtonsProps {
  /** Whose keys the buttons show. */
  of: "row" | "drawer";
  onStep: (by: -1 | 1) => void;
}

/** To the previous and to the next of a list, in the head of what is shown of it. */
export function StepButtons({ of, onStep }: StepButtonsProps) {
  const props = { kind: "ghost", size: "small" } as const;
  return (
    <>
      <Button {...props} icon={ChevronUp} label={t("previous")} action={`${of}.previous`} onClick={() => onStep(-1)} />
      <Button {...props} icon={ChevronDown} label={t("next")} action={`${of}.next`} onClick={() => onStep(1)} />
    </>
  );
}
