import { PanelLeft } from "lucide-react";
import { Button } from "./Button";

/** Where there is no room for the tree beside the work: the button that opens it over it. */
export function TreeToggle({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <span className="docked:hidden">
      <Button kind="ghost" size="small" icon={PanelLeft} label={label} action="tree.toggle" onClick={onClick} />
    </span>
  );
}
