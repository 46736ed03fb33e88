//! A case page that was loaded: its files on disk, its hooks, and how its event is fired.

use super::*;

/// A page with its files on disk, and the hooks and problems that its dialect finds there.
pub struct LoadedCase {
    pub page: CasePage,
    pub dialect: &'static dyn Dialect,
    pub locations: Locations,
    pub hooks: Vec<Hook>,
    pub problems: Vec<Problem>,
    pub replacements: Replacements,
    pub sandbox: Sandbox,
}

/// What stands for the home directory in the text of a file.
const HOME: &str = "@HOME@";

struct RealDirProbe;

impl DirProbe for RealDirProbe {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }
}

impl LoadedCase {
    #[track_caller]
    pub fn new(dialect: &str, path: &str) -> Self {
        let dialect = hookwright_dialects::find(dialect).unwrap_or_else(|| panic!("{dialect} is not registered"));
        let page = CasePage::open(Path::new(path)).unwrap_or_else(|error| panic!("{error}"));
        let sandbox = Sandbox::new();
        let locations = Locations {
            // The skills folders of the settings. Most pages have no file in them.
            skills_roots: ["skills", "more-skills"].map(|name| sandbox.home().join(name)).into(),
            home: sandbox.home(),
            project: sandbox.project(),
            vars: BTreeMap::new(),
        };
        let resolve = |text: &str| match text.split_once('/') {
            Some(("home", rest)) => locations.home.join(rest).display().to_string(),
            Some(("project", rest)) => locations.project.join(rest).display().to_string(),
            Some(_) | None => text.to_owned(),
        };
        let vars = page
            .vars
            .iter()
            .map(|(name, text)| (name.clone(), resolve(text)))
            .collect();
        let locations = Locations { vars, ..locations };
        let mut case = Self {
            page,
            dialect,
            locations,
            hooks: Vec::new(),
            problems: Vec::new(),
            replacements: Replacements::default(),
            sandbox,
        };
        case.write_files();
        case.load();
        case
    }

    /// Writes the page's files to disk. `user/` is the folder of the dialect's user file, or the folder of its user
    /// hooks.
    pub fn write_files(&self) {
        for file in &self.page.files {
            let path_on_disk = self.path_of(&file.path);
            let path = path_on_disk.to_str().expect("temporary paths are text");
            match &file.content {
                PathContent::Bytes(bytes) => {
                    // Codex names files by their whole path (`codex.md` §13).
                    let text = String::from_utf8_lossy(bytes);
                    if text.contains(HOME) {
                        let text = text.replace(HOME, &self.locations.home.to_string_lossy());
                        self.sandbox.write(path, text);
                    } else {
                        self.sandbox.write(path, bytes);
                    }
                }
                PathContent::Link(target) => {
                    std::fs::create_dir_all(path_on_disk.parent().expect("a place has a folder")).unwrap();
                    std::os::unix::fs::symlink(target, path).unwrap();
                    continue;
                }
            }
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(file.mode)).unwrap();
        }
    }

    /// The path on disk of a page path such as `user/hooks.yaml`.
    pub fn path_of(&self, path: &str) -> PathBuf {
        let (folder, rest) = path.split_once('/').expect("a place has a folder");
        let roots = self.dialect.roots(&self.locations, &RealDirProbe);
        let user = roots
            .iter()
            .find(|root| root.layer == Layer::User && !root.managed)
            .and_then(|root| match root.reads {
                RootKind::File => root.path.parent(),
                RootKind::Folders(_) | RootKind::FilesIn(_) | RootKind::FilesBelow(_) => Some(&*root.path),
            });
        match folder {
            "user" => user.expect("the dialect has a user file").join(rest),
            "home" => self.locations.home.join(rest),
            _ => self.locations.project.join(rest),
        }
    }

    pub fn load(&mut self) {
        let mut trees = Vec::new();
        for root in self.dialect.roots(&self.locations, &RealDirProbe) {
            let tree = discovery::read_tree(self.dialect, &root);
            let parsed = self.dialect.parse(&tree);
            trees.push((tree, parsed.broken));
            self.problems.extend(parsed.problems);
            let reported = self
                .page
                .reported
                .iter()
                .find(|(place, _)| self.path_of(place) == root.path);
            for hook in parsed.hooks {
                match reported.filter(|_| matches!(hook.handler, Handler::Module { callback: None, .. })) {
                    None => self.hooks.push(Arc::unwrap_or_clone(hook)),
                    Some((_, reported)) => {
                        let expansion = self.dialect.expand_module(&hook, reported);
                        self.hooks.extend(expansion.hooks.into_iter().map(Arc::unwrap_or_clone));
                        self.problems.extend(expansion.problems);
                    }
                }
            }
        }
        let files: Vec<FileText<'_>> = trees.iter().flat_map(parsing_files).collect();
        let hooks: Vec<&Hook> = self.hooks.iter().collect();
        let conflicts = self.dialect.resolve_conflicts(&hooks, &[], &files);
        for (index, handler) in conflicts.handlers {
            self.hooks[index].handler = handler;
        }
        for (index, message) in conflicts.overridden {
            self.hooks[index].overridden_by = Some(message);
        }
        for (index, off) in conflicts.disabled {
            self.hooks[index].disabled_reason = Some(off);
        }
        for (index, id) in conflicts.renamed {
            self.hooks[index].id = id;
        }
        self.replacements = conflicts.replacements;
        self.problems.extend(conflicts.problems);
        let facts = self.dialect.agent_trust(
            &self.hooks.iter().collect::<Vec<_>>(),
            &hookwright_model::AgentTrustContext {
                locations: &self.locations,
                text: &|path| Ok(std::fs::read_to_string(path).ok().map(std::sync::Arc::from)),
                real: &|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()),
                is_dir: &|path| path.is_dir(),
            },
        );
        for (hook, fact) in self.hooks.iter_mut().zip(facts) {
            let Some(fact) = fact else { continue };
            hook.agent_trust = fact.state;
            hook.disabled_reason = fact
                .off
                .map(hookwright_model::DisabledReason::Disabled)
                .or(hook.disabled_reason.take());
            self.problems.extend(fact.problem);
        }
        let disk = DiskCache::default();
        let covered_texts = self
            .hooks
            .iter()
            .map(|hook| {
                (
                    hook.id.clone(),
                    named_texts(hook, self.dialect.card(), &self.locations, &disk, &|_| ()),
                )
            })
            .collect();
        let env = ["HOME", "PATH", "LANG", "USER", "SHELL"].map(str::to_owned);
        let context = LintContext {
            hooks: &self.hooks.iter().cloned().map(std::sync::Arc::new).collect::<Vec<_>>(),
            named_file_texts: &covered_texts,
            locations: &self.locations,
            env: &env,
            sh: "sh",
            on_path: &|program| on_path(program),
            path_exists: &|path| path.exists(),
            is_executable: &hookwright_workspace::disk_probe::is_executable_file,
            list_dir: &hookwright_workspace::disk_probe::list_dir,
            read_text: &|path| std::fs::read_to_string(path).ok(),
        };
        self.problems.extend(self.dialect.lint(&context));
        self.problems
            .extend(hookwright_dialects::chain_conflicts::find_duplicates(
                self.dialect.card(),
                &context,
            ));
    }

    /// Starts the bridge of each module and lists where its reported hooks differ from the page. Then loads the hooks
    /// again, with the reported ones.
    pub async fn check_bridges(&mut self, exec: &Exec) -> Vec<String> {
        let mut wrong = Vec::new();
        let spec = self
            .dialect
            .card()
            .event(self.dialect.card().first)
            .expect("the first event");
        for (path, reported) in self.page.reported.clone() {
            let module = self.module(&path);
            let call = self
                .dialect
                .encode(&module, spec, &Default::default(), &self.locations.project);
            let Call::Peer(call) = call else {
                panic!("{path} is no module")
            };
            let context = RunContext {
                hook: module.id.clone(),
                session: "page".to_owned(),
                connection: None,
                trace: String::new(),
                run: run_id(),
                progress: None,
                depth: 1,
                limit: call.rules.handshake_timeout,
                cancelled: futures::future::pending().boxed().shared(),
            };
            let wire = call.protocol;
            let run = exec.run(Call::Peer(call), context).await;
            let line = String::from_utf8_lossy(&run.stdout.bytes);
            let handshake = wire.parse_handshake(&line).unwrap_or_default();
            let found = differences(&reported, &handshake.result);
            wrong.extend(
                found
                    .into_iter()
                    .map(|line| format!("the bridge of {path} told otherwise: {line}")),
            );
            for (known, reported) in &mut self.page.reported {
                if *known == path {
                    *reported = handshake.result.clone();
                }
            }
        }
        if !self.page.reported.is_empty() {
            self.hooks.clear();
            self.problems.clear();
            self.load();
        }
        wrong
    }

    /// The hook for the whole module at this page path, before its callbacks are known.
    pub fn module(&self, page_path: &str) -> Hook {
        let path = self.path_of(page_path);
        let roots = self.dialect.roots(&self.locations, &RealDirProbe);
        let root = roots.iter().find(|root| root.path == path);
        let tree = discovery::read_tree(
            self.dialect,
            root.unwrap_or_else(|| panic!("nothing is read at {page_path}")),
        );
        Arc::unwrap_or_clone(self.dialect.parse(&tree).hooks.remove(0))
    }

    /// The hooks as candidates of the engine. All are approved except those in the page's `unapproved` block.
    pub fn candidates(&self) -> Vec<Candidate> {
        let candidate = |hook: &Hook| {
            let unapproved = self.page.unapproved.contains(&hook.id);
            let refused = unapproved.then(|| hookwright_workspace::trust::NOT_APPROVED.render_plain());
            Candidate::new(Arc::new(hook.clone()), refused.map_or(Ok(()), Err), None)
        };
        let mut candidates: Vec<Candidate> = self.hooks.iter().map(candidate).collect();
        let is_approved = |settings: &Hook| !self.page.unapproved.contains(&settings.id);
        hookwright_engine::apply_replacements(&mut candidates, &self.replacements, &is_approved);
        candidates
    }

    /// The results that need no event: hooks and problems.
    pub fn hooks_and_problems(&self) -> Value {
        let hooks: Vec<Value> = self.candidates().iter().map(|known| hook_row(&known.hook)).collect();
        json!({ "hooks": hooks, "problems": self.problems })
    }

    /// Opens a session that has had the page's earlier events.
    pub fn session(&self, runner: Arc<dyn Runner>) -> Arc<Session> {
        let mut conversation = self.dialect.conversation(&|_| None);
        for earlier in &self.page.earlier {
            let spec = self.spec(&earlier.event);
            let read = conversation.read(spec, &hookwright_model::Payload::new());
            let mut trace = trace_with_verdict(&earlier.event, earlier.verdict);
            conversation.remember(spec, &read, &mut trace);
        }
        let options = SessionOptions {
            id: None,
            key: "page".to_owned(),
            project: self.locations.project.clone(),
            runner,
        };
        Session::resume(self.dialect, conversation, options)
    }

    fn spec(&self, event: &str) -> &'static EventSpec {
        let spec = self.dialect.card().event(event);
        spec.unwrap_or_else(|| panic!("there is no event {event}"))
    }

    /// Fires an event. `Err` contains the message if the dialect refuses the payload.
    pub async fn fire(
        &self,
        session: &Arc<Session>,
        event: &PageEvent,
        trace: &str,
        pre_spawn_check: &dyn PreSpawnCheck,
        clock: &dyn ChainTimer,
    ) -> Result<Trace, String> {
        let spec = self.spec(&event.name);
        let mut payload = event.payload.clone();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let defaults = EventDefaults {
            session_id: String::new(),
            cwd: self.locations.project.clone(),
            now,
        };
        self.dialect
            .accept(spec, &mut payload, &defaults)
            .map_err(|message| message.text)?;
        let event = Event {
            trace: trace.to_owned(),
            dialect: self.dialect.card().id,
            name: spec.name,
            origin: Origin::Test,
            session: None,
            agent: None,
            connection: None,
            depth: 0,
            project: self.locations.project.clone(),
            at: now,
            payload: Arc::new(payload),
        };
        let context = ChainContext {
            pre_spawn_check,
            cancelled: futures::future::pending().boxed().shared(),
            run_id: &run_id,
            dialect_settings: &hookwright_model::DialectSettings::new(),
            timer: clock,
            progress: None,
        };
        let begun = session
            .begin_event(EventStart::at_depth(0))
            .expect("a page fires one event after another");
        let record = begun.fire(spec, event.clone(), self.candidates(), &context).await;
        let mut trace = record.trace;
        session
            .run_detached(spec, &event, record.detached, &mut trace, &context)
            .await;
        Ok(trace)
    }

    /// Simulates a scenario. Returns the document that `simulate` prints, with the names of the fired events in
    /// `events`.
    pub async fn simulate(&self, scenario: &str, scripted: &Arc<ScriptedWorld>) -> Map<String, Value> {
        let scenario = scenario::parse_scenario(&self.page.path, scenario).unwrap_or_else(|fault| panic!("{fault}"));
        let mut host = PageSimulationHost {
            case: self,
            session: self.session(scripted.clone()),
            scripted,
            traces: Vec::new(),
        };
        let mut result = SimulationResult::default();
        let ended = self.dialect.simulate(&scenario, &mut host, &mut result).await;
        assert_eq!(ended, Ok(()), "the play could not go on");
        let events: Vec<&str> = host.traces.iter().map(|trace| trace.event.as_str()).collect();
        let document = json!({
            "llm_calls": result.llm_calls,
            "persisted": result.persisted,
            "final_messages": result.final_messages,
            "notices": result.notices,
            "events": events,
            "traces": host.traces,
        });
        document.as_object().cloned().unwrap_or_default()
    }

    /// Lists where the results differ from the expectation. The reply is compared exactly, because the agent receives
    /// nothing else.
    pub fn differences(&self, got: &Value) -> Vec<String> {
        let mut wanted = self.page.expect.clone();
        let mut out = Vec::new();
        if let Some(reply) = wanted.get_mut("reply").and_then(Value::as_object_mut)
            && let Some(json) = reply.remove("json")
        {
            let found = exact_differences(&json, got.pointer("/reply/json").unwrap_or(&Value::Null));
            out.extend(found.into_iter().map(|line| format!("reply.json: {line}")));
            if reply.is_empty() {
                *reply = Map::from_iter([("exit_code".to_owned(), json!(0))]);
            }
        }
        out.extend(differences(&wanted, got));
        out
    }

    #[track_caller]
    pub fn assert_none(&self, wrong: &[String], got: &Value) {
        let CasePage {
            path,
            title,
            expect_line,
            ..
        } = &self.page;
        let lines = wrong.join("\n  ");
        let got = serde_json::to_string_pretty(got).unwrap();
        assert!(
            wrong.is_empty(),
            "{}:{expect_line}: {title}\n  {lines}\n── got\n{got}",
            path.display()
        );
    }
}

/// The texts of a root's files that parse.
fn parsing_files((tree, broken): &(SourceTree, Vec<PathBuf>)) -> impl Iterator<Item = FileText<'_>> {
    let parsing = tree.files.iter().filter(|(path, _)| !broken.contains(path));
    parsing.filter_map(|(path, file)| {
        Some(FileText {
            root: &tree.root,
            path,
            text: file.text.as_ref().ok()?,
        })
    })
}
