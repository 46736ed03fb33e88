/** The sections of the window. Routes, navigation, keys, palette and shortcut sheet are made from this list. */
import {
  Cable,
  Gauge,
  History,
  House,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  Settings,
  ShieldCheck,
  Zap,
} from "lucide-react";

interface SectionShape {
  route: `/${string}`;
  /** Key of its name in the texts. */
  label: `shell.nav.${string}`;
  /** Opens it from anywhere. */
  key: string;
  icon: LucideIcon;
  /** At the top of the navigation, or at its foot. */
  place: "list" | "foot";
  /** Whether it shows nothing before a project is open. */
  needsProject: boolean;
}

export const SECTIONS = {
  overview: {
    route: "/overview",
    label: "shell.nav.overview",
    key: "1",
    icon: House,
    place: "list",
    needsProject: true,
  },
  hooks: { route: "/hooks", label: "shell.nav.hooks", key: "2", icon: ListTree, place: "list", needsProject: false },
  fire: { route: "/fire", label: "shell.nav.fire", key: "3", icon: Zap, place: "list", needsProject: true },
  history: {
    route: "/history",
    label: "shell.nav.history",
    key: "4",
    icon: History,
    place: "list",
    needsProject: true,
  },
  metrics: {
    route: "/metrics",
    label: "shell.nav.metrics",
    key: "5",
    icon: Gauge,
    place: "list",
    needsProject: false,
  },
  agents: {
    route: "/agents",
    label: "shell.nav.agents",
    key: "6",
    icon: Cable,
    place: "list",
    needsProject: false,
  },
  trust: { route: "/trust", label: "shell.nav.trust", key: "7", icon: ShieldCheck, place: "list", needsProject: true },
  simulator: {
    route: "/simulator",
    label: "shell.nav.simulator",
    key: "8",
    icon: MessagesSquare,
    place: "list",
    needsProject: true,
  },
  settings: {
    route: "/settings",
    label: "shell.nav.settings",
    key: "9",
    icon: Settings,
    place: "foot",
    needsProject: false,
  },
} as const satisfies Record<string, SectionShape>;

export type SectionId = keyof typeof SECTIONS;
export type Section = (typeof SECTIONS)[SectionId];

export const SECTION_IDS = Object.keys(SECTIONS) as SectionId[];
