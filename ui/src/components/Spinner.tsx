import { LoaderCircle } from "lucide-react";
import { Icon } from "./Icon";

/** The one thing that turns: something is running. It stands still with reduced motion. */
export function Spinner({ size }: { size: 12 | 14 | 16 | 20 }) {
  return <Icon of={LoaderCircle} size={size} className="spin" />;
}
