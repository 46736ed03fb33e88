//! The requests and replies of the commands (`commands`). Other documents are in `model`.

// These comments become the descriptions of the schemas.
#![warn(missing_docs)]

macro_rules! dto {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident : $ty:ty,)* })+) => {
        $($(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* })+
    };
}

mod chains;
mod convert;
mod definitions;
mod dialects;
mod edit;
mod fire;
mod given_payload;
mod history;
mod history_match;
mod lifecycle;
mod millis;
mod outputs;
mod projects;
mod prompts;
mod samples;
mod scenarios;
mod settings;
mod state;
mod trust;

pub use chains::{AgentTestRun, ChainStopRequest, ChainsDoc, RunningChain, RunningStep, StepPhase};
pub use convert::{ConvertDoc, ConvertHookRequest, ConvertedFile, LossRow};
pub use definitions::{
    ChoiceInfo, DefaultInfo, DefinitionFieldInfo, DefinitionInfo, DefinitionsDoc, FieldCondition, ValueForm, ValueInfo,
};
pub use dialects::{DialectInfo, DialectsDoc, EventInfo, FieldInfo, FilterInfo, OutputEffect, OutputInfo};
pub use edit::{
    AddHookRequest, AgentConnectRequest, ChangeTextDoc, ChangeTextRequest, CheckTextDoc, CheckTextRequest,
    EditHookRequest, EditListDoc, EditListRequest, EditStep, FieldPlace, FixRequest, GoneRequest, HookLines,
    RemoveHookRequest, RestoreGoneRequest, SaveTextRequest, StoredEditRow, TurnOffRequest, TurnOnRequest, UndoRequest,
};
pub use fire::{
    CommandLineRequest, EventRequest, FireRequest, Fixture, FixtureName, FixturesDoc, FixturesRequest, Removed,
    RunRequest, SaveFixtureRequest, SimulateRequest, Stopped, TextReply,
};
pub use given_payload::GivenPayload;
pub(crate) use history::is_zero;
pub use history::{
    Bar, BarsDoc, BarsRequest, EventBar, HistoryDoc, HistoryRequest, HookVersion, StatsBefore, StatsBucket,
    StatsChange, StatsDoc, StatsEdit, StatsRequest, StatsRow, StatsSeries, StatsSession, TokenCounts, ToolRow,
    TraceRequest,
};
pub use history_match::{
    HistoryMatchDoc, HistoryMatchRequest, HookEvent, MatchedEvent, NearTrace, NearValue, SeenValue, UnsavedText,
};
pub use lifecycle::{
    EventActivityRow, MapArea, MapBox, MapEdgeInfo, MapInfo, MapLabelInfo, MapNode, MapSide, MomentsDoc, MomentsRequest,
};
pub use millis::Millis;
pub use outputs::{OutputOriginsDoc, OutputOriginsRequest, ProblemOrigin};
pub use projects::{
    CheckDoc, HookFilesDoc, HookFilesRequest, ListRequest, PathReply, PathRequest, ProjectRequest, ProjectsDoc,
    TextDoc, TextRequest,
};
pub use prompts::{
    PromptAnswer, PromptPartDoc, PromptPartSort, PromptRenderDoc, PromptRenderRequest, PromptRunDoc, PromptRunRequest,
    PromptVariableInfo,
};
pub use samples::{
    AddSampleRequest, GuardDoc, GuardDraft, GuardRequest, Sample, SampleFile, SampleHook, SamplesDoc, TemplatesDoc,
    TemplatesRequest, TryHookRequest,
};
pub use scenarios::{
    PathPart, ReadScenarioDoc, ReadScenarioRequest, SaveScenarioRequest, ScenarioChange, ScenarioProblem, ScenarioRow,
    ScenariosDoc, SessionScenarioDoc, SessionScenarioRequest,
};
pub use settings::{MaskedText, ModelTestDoc, ModelTestEnd, SetRequest, SettingsDoc, TextBody};
pub use state::{AppState, Empty, EngineInfo, ModelInfo, ProjectRow, StateRequest, StoreInfo, WatchInfo};
pub use trust::{
    AgentProgramRow, ApproveRequest, FileHash, FilePair, FoundKind, FoundWord, HookRequest, MAX_SHOWN_BYTES,
    MissingText, MuteRequest, OldContent, OldFile, Pending, ReviewDoc, ReviewFile, Sentence, ShownText, TextPair,
    TrustDoc, TrustItem, TrustTextsDoc,
};
