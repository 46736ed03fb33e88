#!/usr/bin/env node
// Runs a hook that was written for @FROM@ as a hook of @TO@. Hookwright made this file.
//
// Arguments: the event of @FROM@, the event of @TO@, what a failure does, the command of the hook, and a pattern of the
// tools that it is for, if there is one. The command gets the event in the form of @FROM@, and its answer is printed in the
// form of @TO@. A failure of the command, or an answer that cannot be read, blocks unless the third argument is `open`.
// (`closed` says that it blocked before, `guard` that the hook blocks something.)
'use strict';

const { spawn, spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const readline = require('node:readline');

const RULES = JSON.parse(@RULES@);
const { from: FROM, to: TO } = RULES;
const [OLD_EVENT, NEW_EVENT, ON_FAILURE, COMMAND, TOOLS] = process.argv.slice(2);
const EVENT_FIELDS = { jcli: 'event', qoder: 'hook_event_name', 'claude-code': 'hook_event_name', codex: 'hook_event_name', 'agent-hooks': 'event_type' };
const TOOL_FIELDS = { jcli: ['tool_name', 'tool_arguments'], picoclaw: ['tool', 'arguments'] };
const [OLD_TOOL, OLD_ARGUMENTS] = TOOL_FIELDS[FROM] ?? ['tool_name', 'tool_input'];
const [NEW_TOOL, NEW_ARGUMENTS] = TOOL_FIELDS[TO] ?? ['tool_name', 'tool_input'];
const [OLD_PATH, NEW_PATH] = RULES.paths;

const isSet = (value) => value !== undefined && value !== null;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const withKey = (value, key, other) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name === key ? other : name, one])) : value;

/** The event in the form that the command expects. */
function oldPayload(event) {
  const known = new Set([...Object.values(RULES.fields), ...Object.values(EVENT_FIELDS)]);
  let old = Object.fromEntries(Object.entries(event).filter(([name]) => !known.has(name)));
  for (const [ours, theirs] of Object.entries(RULES.fields)) {
    if (theirs in event) old[ours] = event[theirs];
  }
  if (TO === 'picoclaw') {
    if (isObject(old.session_id)) old.session_id = old.session_id.SessionKey ?? '';
    old[FROM === 'agent-hooks' ? 'work_dir' : 'cwd'] ??= process.cwd();
  }
  for (const name of TO === 'picoclaw' ? ['tool_result', 'tool_response', 'tool_output'] : []) {
    if (isObject(old[name])) old[name] = old[name].for_llm ?? '';
  }
  if (FROM === 'picoclaw') {
    old.meta = { SessionKey: event.session_id ?? '' };
    if ('result' in old && !isObject(old.result)) old.result = { for_llm: String(old.result) };
  }
  if (FROM in EVENT_FIELDS) old = { [EVENT_FIELDS[FROM]]: OLD_EVENT, ...old };
  const tool = old[OLD_TOOL];
  if (typeof tool === 'string') old[OLD_TOOL] = RULES.tools[tool] ?? tool;
  let given = old[OLD_ARGUMENTS];
  if (typeof given === 'string') {
    try {
      given = JSON.parse(given);
    } catch {
      return old;
    }
  }
  if (isSet(given)) {
    if (RULES.file_tools.includes(tool)) given = withKey(given, NEW_PATH, OLD_PATH);
    old[OLD_ARGUMENTS] = FROM === 'jcli' ? JSON.stringify(given) : given;
  }
  return old;
}

/** The arguments that the command wants, in the form of the agent; undefined if it changes nothing. */
function newArguments(answer, event) {
  const wanted = typeof answer.arguments === 'string' ? JSON.parse(answer.arguments) : answer.arguments;
  if (isSet(wanted) && !RULES.edits.includes(NEW_EVENT)) {
    // The agent would use the old input, which nobody approved.
    if (answer.decision === 'allow') answer.decision = undefined;
    return undefined;
  }
  return RULES.file_tools.includes(event[NEW_TOOL]) ? withKey(wanted ?? undefined, OLD_PATH, NEW_PATH) : (wanted ?? undefined);
}

function environment() {
  const folders = Object.fromEntries(RULES.folders.map((name) => [name, process.cwd()]));
  return { ...process.env, ...folders, ...(FROM === 'jcli' ? { JCLI_HOOK_EVENT: OLD_EVENT } : {}) };
}

/** A document as the agent writes it: Agent Hooks puts blanks behind separators, and only writes ASCII. */
function written(value) {
  if (FROM !== 'agent-hooks') return JSON.stringify(value);
  const spaced = (one) => {
    if (Array.isArray(one)) return `[${one.map(spaced).join(', ')}]`;
    if (isObject(one)) return `{${Object.entries(one).map(([name, inner]) => `${spaced(name)}: ${spaced(inner)}`).join(', ')}}`;
    return JSON.stringify(one) ?? 'null';
  };
  return spaced(value).replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function start(payload) {
  if (FROM === 'picoclaw') return askProcess(payload);
  const run = spawnSync('sh', ['-c', COMMAND], { input: written(payload), env: environment(), maxBuffer: 32 << 20 });
  if (run.error) throw run.error;
  const text = (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  const isRead = run.status === 0 || FROM === 'claude-code';
  return decoded(run.status, isRead ? text(run.stdout) : '', run.stderr.toString());
}

/** Starts a process that speaks JSON-RPC, greets it and asks it once. */
async function askProcess(params) {
  const child = spawn('sh', ['-c', COMMAND], { stdio: ['pipe', 'pipe', 'inherit'], env: environment() });
  child.stdin.on('error', () => {});
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const call = async (id, method, values) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: values })}\n`);
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      let message;
      try {
        message = JSON.parse(line.value);
      } catch {
        continue;
      }
      if (message?.id !== id) continue;
      if ('error' in message) break;
      return message.result;
    }
    throw new Error('it gave no result');
  };
  try {
    await call(1, 'hook.hello', { name: 'hook', version: 1, modes: ['tool', 'approve'] });
    return decodedResult(await call(2, `hook.${OLD_EVENT}`, params));
  } finally {
    child.kill('SIGKILL');
  }
}

function decodedResult(result) {
  if (OLD_EVENT === 'approve_tool') {
    if (typeof result?.approved !== 'boolean') throw new Error('no approval given');
    if (!result.approved) return { decision: 'deny', reason: result.reason };
    return { decision: NEW_EVENT === 'PermissionRequest' ? 'allow' : undefined };
  }
  if (result === undefined || result === null) return {};
  if (!isObject(result)) throw new Error('its result is no object');
  const { action = '', reason } = result;
  if (['deny_tool', 'abort_turn', 'hard_abort'].includes(action)) return { decision: 'deny', reason };
  if (action === 'respond') return { decision: 'deny', reason: result.result?.for_llm ?? reason };
  const isApplied = ['', 'continue', 'modify'].includes(action) && isObject(result.call);
  return isApplied ? { arguments: result.call.arguments ?? {} } : {};
}

/** What an answer on stdout, stderr and by the exit code means to the agent that the command was written for. */
function decoded(code, out, err) {
  if (code === 2 && FROM !== 'jcli') return { decision: 'deny', reason: err.trim() };
  const answers = FROM === 'claude-code' && out.trim().startsWith('{');
  if (code !== 0 && !answers) throw new Error(`it ended with ${code}: ${err.trim()}`);
  const text = out.trim();
  if (text === '') return {};
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    if (FROM === 'agent-hooks' || ['UserPromptSubmit', 'SessionStart'].includes(OLD_EVENT)) return { context: text };
    if (['qoder', 'claude-code', 'codex'].includes(FROM) && !text.includes('{')) return {};
    throw new Error('its answer is no JSON');
  }
  if (!isObject(document)) throw new Error('its answer is no JSON object');
  return ({ jcli: ofJcli, 'agent-hooks': ofAgentHooks }[FROM] ?? ofSettings)(document);
}

function ofJcli(document) {
  const { retry_feedback: feedback, system_message: said, action, tool_arguments: wanted } = document;
  const isKnown = !isSet(action) || ['skip', 'stop'].includes(action);
  if (!isKnown || (isSet(wanted) && typeof wanted !== 'string')) throw new Error('its answer has a value that is not allowed');
  const stops = action === 'stop' || document.abort === true;
  if (OLD_EVENT === 'stop' && feedback) return { decision: 'deny', reason: feedback };
  if (OLD_EVENT === 'stop' && stops) return { decision: 'stop', reason: said };
  const skips = action === 'skip' && OLD_EVENT === 'pre_tool_execution';
  if (stops || skips) return { decision: 'deny', reason: feedback || said };
  return { reason: said, arguments: wanted, context: document.additional_context };
}

const DECISIONS = ['allow', 'ask', 'deny', 'stop'];
const known = (decision) => (DECISIONS.includes(decision) ? decision : undefined);

/** The answer of a hook of Qoder, Claude Code or Codex. */
function ofSettings(document) {
  const output = document.hookSpecificOutput ?? undefined;
  if (output && FROM !== 'codex' && output.hookEventName !== OLD_EVENT) throw new Error('its answer names another event');
  const request = OLD_EVENT === 'PermissionRequest' ? output?.decision : undefined;
  let wanted = output?.updatedInput ?? request?.updatedInput;
  const context = output?.additionalContext;
  let decision;
  let reason;
  if (FROM === 'codex' && OLD_EVENT === 'PermissionRequest') wanted = undefined;
  if (OLD_EVENT === 'PreToolUse') {
    [decision, reason] = [output?.permissionDecision, output?.permissionDecisionReason];
    if (FROM === 'codex') {
      // `allow` belongs to a new input, and approves nothing.
      if (decision !== 'allow') wanted = undefined;
      if (decision === 'allow') decision = undefined;
    }
  }
  if (document.continue === false) [decision, reason] = ['stop', document.stopReason ?? reason];
  else if (['block', 'deny'].includes(document.decision) || request?.behavior === 'deny')
    [decision, reason] = ['deny', document.reason ?? request?.message ?? reason];
  else if (request?.behavior === 'allow') {
    // Codex does not take an approval with anything beside it, such as a new input.
    const isAlone = Object.keys(request).every((name) => ['behavior', 'message'].includes(name));
    decision = FROM !== 'codex' || isAlone ? 'allow' : undefined;
  } else if (FROM === 'claude-code' && OLD_EVENT === 'PreToolUse' && document.decision === 'approve') decision ??= 'allow';
  else if (FROM === 'claude-code' && ['Stop', 'SubagentStop'].includes(OLD_EVENT) && context)
    // There a context makes the agent go on.
    [decision, reason] = ['deny', context];
  return { decision: known(decision), reason, arguments: wanted, context };
}

function ofAgentHooks(document) {
  const decision = document.decision === 'ask' && OLD_EVENT === 'before_stop' ? 'deny' : document.decision;
  return {
    decision: known(decision),
    reason: document.reason,
    arguments: document.modified_input,
    context: document.additional_context,
  };
}

function printed(document) {
  const set = Object.entries(document).filter(([, value]) => value !== undefined && value !== null);
  if (set.length > 0) process.stdout.write(`${JSON.stringify(Object.fromEntries(set))}\n`);
}

/** Prints the answer in the form of the agent, and returns the exit code. */
function reply(answer, event) {
  const wanted = newArguments(answer, event);
  const reason = answer.reason || 'blocked by hook';
  if (TO === 'jcli') {
    printed(forJcli(answer, wanted, reason));
    return 0;
  }
  // A block would make the agent go on, and it stops anyway.
  if (TO === 'agent-hooks' && answer.decision === 'stop' && NEW_EVENT === 'before_stop') return 0;
  if (TO !== 'agent-hooks' && answer.decision === 'stop' && RULES.ends.includes(NEW_EVENT)) {
    // Without a denial the call runs before the turn ends.
    const denies = TO === 'claude-code' && NEW_EVENT === 'PreToolUse';
    const denial = { hookEventName: NEW_EVENT, permissionDecision: 'deny', permissionDecisionReason: reason };
    printed({ continue: false, stopReason: reason, hookSpecificOutput: denies ? denial : undefined });
    return 0;
  }
  const asks = answer.decision === 'ask' && TO !== 'codex' && ['PreToolUse', 'before_tool', 'after_tool', 'after_tool_failure'].includes(NEW_EVENT);
  if (['deny', 'stop'].includes(answer.decision) || (answer.decision === 'ask' && !asks)) {
    if (TO === 'claude-code' && NEW_EVENT === 'PermissionRequest') {
      // Its exit code denies nothing.
      const denial = { behavior: 'deny', message: reason };
      printed({ hookSpecificOutput: { hookEventName: NEW_EVENT, decision: denial } });
      return 0;
    }
    process.stderr.write(`${reason}\n`);
    return 2;
  }
  const context = RULES.context.includes(NEW_EVENT) ? (answer.context ?? undefined) : undefined;
  if (TO === 'agent-hooks') {
    const said = answer.decision ? { decision: answer.decision, reason: answer.reason } : {};
    printed({ ...said, modified_input: wanted, additional_context: context });
    return 0;
  }
  let output = { updatedInput: wanted, additionalContext: context };
  if (TO === 'codex' && NEW_EVENT === 'PreToolUse') {
    // It has no approval there, and takes a new input only with this word.
    output = { ...output, permissionDecision: wanted === undefined ? undefined : 'allow' };
  } else if (answer.decision && NEW_EVENT === 'PreToolUse') {
    output = { ...output, permissionDecision: answer.decision, permissionDecisionReason: answer.reason ?? '' };
  } else if (answer.decision === 'allow' && NEW_EVENT === 'PermissionRequest') {
    output = { decision: { behavior: 'allow', updatedInput: wanted } };
  }
  const hasOutput = Object.values(output).some((value) => value !== undefined);
  printed(hasOutput ? { hookSpecificOutput: { hookEventName: NEW_EVENT, ...output } } : {});
  return 0;
}

function forJcli(answer, wanted, reason) {
  if (['deny', 'ask', 'stop'].includes(answer.decision)) {
    if (NEW_EVENT === 'stop' && answer.decision !== 'stop') return { retry_feedback: reason };
    return { action: NEW_EVENT === 'pre_tool_execution' ? 'skip' : 'stop', system_message: reason };
  }
  const context = RULES.context.includes(NEW_EVENT) ? answer.context : undefined;
  return { additional_context: context, tool_arguments: wanted && JSON.stringify(wanted) };
}

/** The result of a request of JSON-RPC. */
function resultOf(answer, event) {
  const wanted = newArguments(answer, event);
  const holds = ['deny', 'ask', 'stop'].includes(answer.decision);
  const reason = answer.reason || 'blocked by hook';
  if (NEW_EVENT === 'approve_tool') {
    const isLost = !holds && isSet(answer.arguments);
    if (isLost) return { approved: false, reason: 'the hook wants another input, and no approval can change it' };
    return holds ? { approved: false, reason } : { approved: true };
  }
  const deniesCall = NEW_EVENT === 'before_tool' && answer.decision !== 'stop';
  if (holds) return { action: deniesCall ? 'deny_tool' : 'abort_turn', reason };
  if (wanted !== undefined) {
    return { action: 'modify', call: { tool: event.tool, arguments: wanted } };
  }
  return { action: 'continue' };
}

/** Codex takes the command from a new input of these tools and leaves the rest; without one the call fails. */
function withCommandOnly(answer, old) {
  if (FROM !== 'codex' || !isSet(answer.arguments) || !['Bash', 'apply_patch'].includes(old[OLD_TOOL])) return answer;
  const { command } = answer.arguments;
  if (typeof command !== 'string') return { decision: 'deny', reason: 'its new input has no command' };
  return { ...answer, arguments: { ...old[OLD_ARGUMENTS], command } };
}

/** The answer of the command. A failure is a denial, unless it may let the agent continue. */
async function decide(event) {
  try {
    if (!isObject(event)) throw new Error('the event is no JSON object');
    const old = oldPayload(event);
    if (TOOLS && !new RegExp(`^(?:${TOOLS})$`, 'u').test(String(old[OLD_TOOL] ?? ''))) return {};
    return withCommandOnly(await start(old), old);
  } catch (error) {
    if (ON_FAILURE === 'open') throw error;
    return failure(error);
  }
}

/** What a failure of the command does. When j-cli is about to stop, it ends the turn. */
function failure(error) {
  const decision = FROM === 'jcli' && OLD_EVENT === 'stop' ? 'stop' : 'deny';
  return { decision, reason: `the hook failed: ${error.message}` };
}

/** Answers requests of JSON-RPC until the input ends. */
async function serve() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      continue;
    }
    const { id, method, params = {} } = message;
    if (id === undefined) {
      if (method === 'hook.event' && params.Kind === NEW_EVENT) await observe(params);
      continue;
    }
    let body = { result: { action: 'continue' } };
    if (method === 'hook.hello') body = { result: { ok: true } };
    if (method === `hook.${NEW_EVENT}`) {
      try {
        body = { result: resultOf(await decide(params), params) };
      } catch (error) {
        body = { error: { code: -32000, message: String(error.message) } };
      }
    }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  }
}

async function observe(params) {
  const fields = Object.entries(params.Payload ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  try {
    await decide({ meta: params.Meta ?? {}, ...Object.fromEntries(fields) });
  } catch (error) {
    console.error(error.message);
  }
}

async function main() {
  if (TO === 'picoclaw') return serve();
  let event = null;
  try {
    event = JSON.parse(readFileSync(0, 'utf8'));
  } catch {
    // What is no JSON is no object either, and told below.
  }
  const answer = await decide(event);
  try {
    process.exitCode = reply(answer, event ?? {});
  } catch (error) {
    if (ON_FAILURE === 'open') throw error;
    process.exitCode = reply(failure(error), {});
  }
}

main().catch((error) => {
  process.stderr.write(`the hook failed: ${error.message}\n`);
  process.exitCode = 1;
});
