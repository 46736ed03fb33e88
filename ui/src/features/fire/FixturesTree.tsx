import { FlaskConical, Pin } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { DialectTag, Icon, Tree, type TreeNode } from "@/components";
import type { Fixture } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { escapeInvisible } from "@/lib/escape";

export function fixtureId(fixture: Pick<Fixture, "dialect" | "event" | "name">): string {
  return `${fixture.dialect} ${fixture.event} ${fixture.name}`;
}

interface FixturesTreeProps {
  fixtures: readonly Fixture[];
  /** Dialects that begin open. */
  open: ReadonlySet<string>;
  selected: string;
  onSelect: (fixture: Fixture) => void;
}

/** Dialects and their moments in the order of an agent's life. A moment with one payload is that payload. */
export function FixturesTree({ fixtures, open, selected, onSelect }: FixturesTreeProps) {
  const { t } = useTranslation();
  const dialects = useDialects();
  const nodes = useMemo<TreeNode[]>(
    () =>
      dialects.map((dialect) => ({
        id: dialect.id,
        head: true,
        label: dialect.name,
        icon: <DialectTag dialect={dialect.id} />,
        count: dialect.events.length,
        children: dialect.events.flatMap((event) =>
          eventNode(
            event.name,
            fixtures.filter((one) => one.dialect === dialect.id && one.event === event.name),
            t("fire.example"),
          ),
        ),
      })),
    [dialects, fixtures, t],
  );
  const closed = new Set(dialects.map((dialect) => dialect.id).filter((id) => !open.has(id)));
  return (
    <Tree
      label={t("fire.fixtures")}
      nodes={nodes}
      selected={selected}
      closed={closed}
      onSelect={(id) => {
        const found =
          fixtures.find((one) => fixtureId(one) === id) ?? fixtures.find((one) => fixtureId(one).startsWith(`${id} `));
        if (found) onSelect(found);
      }}
    />
  );
}

function eventNode(event: string, own: readonly Fixture[], example: string): TreeNode[] {
  const first = own[0];
  if (first === undefined) return [];
  const label = <span className="mono">{event}</span>;
  if (own.length === 1) return [{ id: fixtureId(first), label }];
  const children = own.map((one) => ({
    id: fixtureId(one),
    label: one.saved ? escapeInvisible(one.name) : example,
    icon: <Icon of={one.saved ? Pin : FlaskConical} size={12} />,
  }));
  return [{ id: `${first.dialect} ${event}`, label, count: own.length, children }];
}
