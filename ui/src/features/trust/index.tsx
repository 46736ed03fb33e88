/** Trust: what waits for approval at the left, the review of the chosen hook beside it. */

import { ShieldCheck, ShieldQuestionMark } from "lucide-react";
import { useMemo, useState } from "react";
import {
  Confirm,
  Empty,
  FaultNote,
  Field,
  Input,
  Note,
  Page,
  Pane,
  SizedPane,
  Skeleton,
  TabPanel,
  Tabs,
} from "@/components";
import { useTurnOff } from "@/domain/edits/turnOff";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { problemText } from "@/domain/hooks/problemText";
import { useProject } from "@/domain/project";
import { type AllowedProgram, allowedPrograms } from "@/domain/trust/agentPrograms";
import { t } from "@/i18n";
import { type Problem, type TrustReview, useCall } from "@/ipc";
import { useStepping } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { getRouteApi, Link } from "@/routes/router";
import type { TrustSearch } from "@/routes/search";
import { AllowedPrograms } from "./AllowedPrograms";
import { type Approvals, type ApprovedContent, useApprovals } from "./approvals";
import { asksName } from "./asksName";
import { contentOf, itemFollowing, itemsOf, type QueueGroup, type QueueItem, queueOf } from "./queue";
import { ReviewPane } from "./ReviewPane";
import { useReadTexts } from "./readTexts";
import { WaitingList } from "./WaitingList";

const route = getRouteApi("/trust");

type Tab = "waiting" | "approved" | "denied";

/** The words of each tab. */
const WORDS = {
  waiting: { list: "review.listWaiting", nothing: "review.nothingWaits", text: "review.nothingWaitsText" },
  approved: { list: "review.listApproved", nothing: "review.nothingApproved", text: "review.nothingApprovedText" },
  denied: { list: "review.listDenied", nothing: "review.nothingDenied", text: "review.nothingDeniedText" },
} as const;

export function TrustScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject() ?? "";
  const list = useCall("trust.list", { project }, { enabled: project !== "" });
  const hooks = useCall("hooks.list", { project }, { enabled: project !== "" });
  const waiting = useMemo(() => queueOf(list.data?.pending ?? [], hooks.data), [list.data?.pending, hooks.data]);
  const approved = useMemo(() => queueOf(list.data?.approved ?? [], hooks.data), [list.data?.approved, hooks.data]);
  const denied = useMemo(() => queueOf(list.data?.denied ?? [], hooks.data), [list.data?.denied, hooks.data]);
  const programs = allowedPrograms(list.data?.approved ?? []);
  const problems = list.data?.problems ?? NO_PROBLEMS;
  const lists = { waiting, approved, denied };
  const isIn = (one: Tab) => itemsOf(lists[one]).some(({ item }) => item.hook === search.hook);
  // A link names only the hook.
  const tab: Tab = search.tab ?? (isIn("approved") ? "approved" : isIn("denied") ? "denied" : "waiting");
  const groups = lists[tab];
  const change = (part: TrustSearch) => void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const approvals = useApprovals(project, (hook) => change({ hook, tab: "waiting" }));
  return (
    <Page
      title={t("review.title")}
      after={
        <Tabs<Tab>
          id="trust"
          label={t("review.title")}
          value={tab}
          onChange={(next) => change({ tab: next, hook: undefined })}
          items={[
            { value: "waiting", label: t("review.waiting", { count: itemsOf(waiting).length }) },
            {
              value: "approved",
              label: t("review.approvedTab", { count: itemsOf(approved).length + programs.length }),
            },
            { value: "denied", label: t("review.deniedTab", { count: itemsOf(denied).length }) },
          ]}
        />
      }
    >
      <TabPanel id="trust" value={tab} className="panes list-panes">
        {list.error !== null ? (
          <FaultNote fault={list.error} onRetry={() => void list.refetch()} />
        ) : list.data === undefined || hooks.isPending ? (
          <Skeleton rows={12} height={44} what={t("review.title")} />
        ) : groups.length === 0 && tab === "approved" && programs.length > 0 ? (
          <Pane label={t("review.listApproved")}>
            <AllowedPrograms programs={programs} project={project} />
          </Pane>
        ) : groups.length === 0 ? (
          <Nothing tab={tab} problems={problems} approvals={approvals} />
        ) : (
          <Queue
            groups={groups}
            programs={tab === "approved" ? programs : []}
            problems={problems}
            tab={tab}
            project={project}
            hook={search.hook}
            approvals={approvals}
            onSelect={(hook) => change({ hook })}
          />
        )}
      </TabPanel>
    </Page>
  );
}

const NO_PROBLEMS: readonly Problem[] = [];

/** Why the lists are not complete. */
function Incomplete({ problems }: { problems: readonly Problem[] }) {
  const { title, advice } = problemText([]);
  return problems.map((problem) => (
    <Note key={problem.message} kind={NOTE[problem.severity]} className="flat" lead={oneLine(title(problem))}>
      <span className="block">{advice(problem)}</span>
    </Note>
  ));
}

const NOTE = { error: "error", warning: "warning", hint: "info" } as const;

interface NothingProps {
  tab: Tab;
  problems: readonly Problem[];
  approvals: Approvals;
}

function Nothing({ tab, problems, approvals }: NothingProps) {
  const isComplete = problems.length === 0;
  return (
    <Empty
      title={t(isComplete ? WORDS[tab].nothing : "review.incomplete")}
      text={isComplete ? t(WORDS[tab].text) : null}
    >
      <Incomplete problems={problems} />
      {approvals.notice}
      <p className="mt-3 text-small">
        <Link className="link" to="/hooks">
          {t("review.toHooks")}
        </Link>
      </p>
    </Empty>
  );
}

interface QueueProps {
  groups: readonly QueueGroup[];
  problems: readonly Problem[];
  /** Shown below the list. */
  programs: readonly AllowedProgram[];
  tab: Tab;
  project: string;
  hook: string | undefined;
  approvals: Approvals;
  onSelect: (hook: string | undefined) => void;
}

/** What a person is asked to approve. */
interface Asked {
  contents: readonly ApprovedContent[];
  event: string;
  /** Whether the name of the hook must be typed. */
  asksName: boolean;
}

function labelOf({ item, rows }: QueueItem): string {
  return oneLine(rows[0]?.label ?? item.label, 60);
}

function Queue({ groups, problems, programs, tab, project, hook, approvals, onSelect }: QueueProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const readOf = useReadTexts(project);
  const report = useReportEdit(project);
  const items = itemsOf(groups);
  const chosen = items.find(({ item }) => item.hook === hook) ?? items[0];
  const at = chosen === undefined ? -1 : items.indexOf(chosen);
  const step = useStepping(items, at, ({ item }) => onSelect(item.hook));
  const next = chosen === undefined ? null : itemFollowing(items, chosen.item.hook);
  const select = (decided: ReadonlySet<string>) => {
    const left = items.filter(({ item }) => !decided.has(item.hook));
    const following = next !== null && left.includes(next) ? next : left[0];
    onSelect(following?.item.hook);
  };
  const turnOff = useTurnOff(project, (row, doc, said, what) => {
    report(doc, said, { what });
    select(new Set([row.hook]));
  });
  if (chosen === undefined) return null;
  const contentToDecide = (review: TrustReview): ApprovedContent => ({
    hook: review.hook,
    fingerprint: review.fingerprint,
    label: oneLine(review.label, 60),
  });
  const askOne = (review: TrustReview) =>
    setAsked({ contents: [contentToDecide(review)], event: review.event, asksName: asksName(review) });
  const askAll = (group: QueueGroup) =>
    setAsked({
      contents: group.items.map((one) => ({
        hook: one.item.hook,
        fingerprint: readOf(one.item.hook)?.fingerprint ?? "",
        label: labelOf(one),
      })),
      event: "",
      asksName: false,
    });
  const deny = async (review: TrustReview) => {
    if (await approvals.deny(contentToDecide(review))) select(new Set([review.hook]));
  };
  const approve = async () => {
    if (asked === null) return;
    const done = await approvals.approve(asked.contents);
    setAsked(null);
    if (done === 0) return;
    select(new Set(asked.contents.slice(0, done).map((one) => one.hook)));
  };
  return (
    <>
      <SizedPane id="trust.list" label={t(WORDS[tab].list)} width={216} min={180} max={420} split="right">
        <Incomplete problems={problems} />
        <WaitingList
          label={t(WORDS[tab].list)}
          groups={groups}
          selected={chosen.item.hook}
          project={project}
          isApprovedAlone={({ item }) => readOf(item.hook)?.asksName === true}
          isRead={({ item }) => readOf(item.hook)?.content === contentOf(item)}
          onSelect={onSelect}
          onApproveAll={tab === "waiting" ? askAll : undefined}
        />
        <AllowedPrograms programs={programs} project={project} />
        <div className="list-foot [&_p]:mt-1 text-tiny dim">
          <b className="medium">{t("review.howTitle")}</b>
          <p>{t("review.how")}</p>
        </div>
      </SizedPane>
      <ReviewPane
        hook={chosen.item.hook}
        rows={chosen.rows}
        content={contentOf(chosen.item)}
        project={project}
        place={{ at: items.indexOf(chosen) + 1, of: items.length }}
        onStep={step}
        onSkip={tab === "waiting" && next !== null ? () => onSelect(next.item.hook) : undefined}
        onApprove={askOne}
        onDeny={(review) => void deny(review)}
        onRevoke={(review) => void approvals.revoke([{ hook: review.hook, label: oneLine(review.label, 60) }])}
        onTurnOff={turnOff.run}
        busy={approvals.busy || turnOff.busy}
        notice={approvals.notice}
      />
      <ConfirmApproval
        key={asked?.contents[0]?.fingerprint}
        asked={asked}
        busy={approvals.busy}
        onClose={() => setAsked(null)}
        onApprove={() => void approve()}
      />
    </>
  );
}

interface ConfirmApprovalProps {
  asked: Asked | null;
  busy: boolean;
  onClose: () => void;
  onApprove: () => void;
}

/** Asks once more, for one hook or for all of a file. */
function ConfirmApproval({ asked, busy, onClose, onApprove }: ConfirmApprovalProps) {
  const [typed, setTyped] = useState("");
  const contents = asked?.contents ?? [];
  const isSeveral = contents.length > 1;
  const name = contents[0]?.label ?? "";
  const asks = asked?.asksName ?? false;
  return (
    <Confirm
      open={asked !== null}
      icon={isSeveral ? ShieldCheck : ShieldQuestionMark}
      title={t(isSeveral ? "review.confirmAllTitle" : "trust.confirm")}
      safeLabel={t("trust.keepBlocked")}
      doLabel={
        isSeveral
          ? t("review.approveAll", { count: contents.length })
          : t("trust.confirmYes", { hook: oneLine(contents[0]?.label ?? "", 32) })
      }
      doDisabledBecause={asks && typed.trim() !== name && t("review.nameDiffers")}
      busy={busy}
      onClose={onClose}
      onDo={onApprove}
    >
      <p>
        {isSeveral
          ? t("review.confirmAll", { hooks: contents.map((one) => one.label).join(t("list")) })
          : t("trust.confirmText", { event: asked?.event ?? "" })}
      </p>
      {asks ? (
        <Field label={t("review.typeName", { hook: name })}>
          {({ id }) => (
            <Input id={id} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
          )}
        </Field>
      ) : null}
    </Confirm>
  );
}
