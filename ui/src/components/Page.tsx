import { ChevronRight } from "lucide-react";
import { createContext, Fragment, type ReactNode, useContext } from "react";
import { Icon } from "./Icon";

/** What the frame has to say on every screen, below the page bar. */
export const PageAlert = createContext<ReactNode>(null);

interface PageProps {
  title: ReactNode;
  /** What stands before the title, links included. */
  crumbs?: readonly ReactNode[];
  /** Tabs, or what follows the title. */
  after?: ReactNode;
  /** Buttons at the right, one primary at most. */
  actions?: ReactNode;
  /** Notes between bar and body. */
  notes?: ReactNode;
  children: ReactNode;
}

/** A screen: page bar of 44 px and the body below it. */
export function Page({ title, crumbs = [], after, actions, notes, children }: PageProps) {
  return (
    <>
      <header className="page-bar">
        <div className="page-bar-start">
          {crumbs.length > 0 ? (
            <div className="crumbs">
              {crumbs.map((crumb, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: crumbs are fixed
                <Fragment key={index}>
                  {crumb}
                  <Icon of={ChevronRight} size={12} />
                </Fragment>
              ))}
            </div>
          ) : null}
          <h1>{title}</h1>
          {after}
        </div>
        {actions ? <div className="page-bar-end">{actions}</div> : null}
      </header>
      {useContext(PageAlert)}
      {notes}
      <div className="body">{children}</div>
    </>
  );
}
