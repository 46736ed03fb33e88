export { ActionBar, type BarAction } from "./ActionBar";
export { Button } from "./Button";
export { ChainPosition, type PositionStep } from "./ChainPosition";
export { type Choice, Segmented, TabPanel, Tabs } from "./Choice";
export { type Column, DataTable, type TableHandle } from "./DataTable";
export { Confirm, Sheet } from "./Dialog";
export { Drawer } from "./Drawer";
export { Elapsed } from "./Elapsed";
export { type CodeLanguage, CodePane, type CodeProblem } from "./editor/CodePane";
export { Diff } from "./editor/Diff";
export { type CodePlace, FilePane, type KeptDocument, type LineRange } from "./editor/FilePane";
export { type Fact, Facts } from "./Facts";
export { Field, Input, TextArea } from "./Field";
export { type AttemptGate, failedGate, GateList, isNotMeant } from "./GateList";
export { GLYPH_COLOUR, GLYPH_KINDS, Glyph, type GlyphKind } from "./Glyph";
export {
  firstClause,
  HEALTH_ICONS,
  HookState,
  healthSentence,
  isFault,
  type ShownState,
  shownState,
} from "./HookState";
export { Icon } from "./Icon";
export { InlineCode } from "./InlineCode";
export { KeyCap } from "./KeyCap";
export { DialectTag, HandlerIcon, handlerKind, LayerIcon, startsNothing } from "./KindIcons";
export { Logo } from "./Logo";
export { Menu, type MenuItem } from "./Menu";
export { MiniChain } from "./MiniChain";
export { Note } from "./Note";
export { Outcome } from "./Outcome";
export { Page, PageAlert } from "./Page";
export { focusNextRegion, Pane, SizedPane } from "./Panes";
export { didRun, glyphOf, type RailStep, railOf, railStyle, wasStopped } from "./rail";
export { type Option, Select } from "./Select";
export { Spinner } from "./Spinner";
export { ActionCard, Empty, FaultNote, Skeleton, useAfter } from "./StateViews";
export { StepButtons } from "./StepButtons";
export { Switch } from "./Switch";
export { stepLine, stepTook } from "./step";
export { Timeline } from "./Timeline";
export { Toaster, type ToastKind, toast } from "./Toast";
export { parseToken, type Suggestion, type Token, TokenInput, tokenText } from "./TokenInput";
export { Cut, Tooltip, TooltipProvider } from "./Tooltip";
export { Tree, type TreeNode } from "./Tree";
export { TreeToggle } from "./TreeToggle";
export type { Fold, Group } from "./tableLines";
