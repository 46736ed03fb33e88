import type { LucideIcon } from "lucide-react";

interface IconProps {
  of: LucideIcon;
  size?: 10 | 12 | 14 | 16 | 20;
  className?: string;
}

/** A Lucide icon in the house's stroke. Always beside a word or inside a named control, so it has no name itself. */
export function Icon({ of: Drawing, size = 14, className }: IconProps) {
  return (
    <Drawing className={className ? `icon ${className}` : "icon"} size={size} strokeWidth={1.75} aria-hidden="true" />
  );
}
