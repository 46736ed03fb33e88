/** The invented project in Chinese: what its people and hooks wrote, and what its engine says without a code. */
import { Fault } from "@/ipc/fault";
import type { Script } from "@/testing/fakeEngine";

const CHINESE: readonly (readonly [en: string, zh: string])[] = [
  ["Drops a table on staging.", "会删除预发布环境的一张表。"],
  ["exit 127, jq: command not found", "退出码 127，jq: 未找到命令"],
  ["jq: command not found", "jq: 未找到命令"],
  ["`ignore` is not a value of `on_error`", "`on_error` 的值不能为 `ignore`"],
  ["use `skip` or `abort`", "使用 `skip` 或 `abort`"],
  ["You review tool calls.", "你负责审查工具调用。"],
  ["Compare the two cart papers.", "比较两份购物车文档。"],
  ["Thanks!", "谢谢！"],
  ["Welcome.", "不客气。"],
  ["Done.", "完成。"],
  ["Two requests, one with a tool call.", "两次请求，其中一次调用工具。"],
  ["clean up the cart code", "整理购物车的代码"],
  ["fix it", "修好它"],
  ["Hooks of the orchard service", "orchard 服务的 Hook"],
  ["anything that looks like a shell", "一切类似 shell 的工具"],
  ["Text of ", "文本 "],
  [
    "the interpreter and what the script starts or reads in turn are not covered",
    "解释器以及脚本再启动或读取的内容未覆盖",
  ],
  ["the data folder cannot be read", "无法读取数据文件夹"],
  ["Check the permissions of ~/.local/share/hookwright.", "检查 ~/.local/share/hookwright 的权限。"],
  ["the history cannot be read: disk is full", "无法读取历史记录：磁盘已满"],
  ["free some space", "腾出一些空间"],
  ["the engine stopped", "引擎已停止"],
  ["start it again", "重新启动它"],
];
/** Longer texts are made to be long, not to be read. */
const MAX_LENGTH = 10_000;

function translate(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > MAX_LENGTH ? value : CHINESE.reduce((text, [en, zh]) => text.replaceAll(en, zh), value);
  if (Array.isArray(value)) return value.map(translate);
  if (value instanceof Promise) return value.then(translate);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translate(inner)]));
}

/** The same script for a reader of Chinese. */
export function inChinese(script: Script): Script {
  const calls = Object.entries(script).map(([method, answer]) => {
    if (typeof answer !== "function") return [method, translate(answer)];
    const ask = answer as (params: unknown) => unknown;
    return [method, (params: unknown) => answered(() => ask(params))];
  });
  return Object.fromEntries(calls) as Script;
}

function answered(ask: () => unknown): unknown {
  try {
    return translate(ask());
  } catch (thrown) {
    throw thrown instanceof Fault ? new Fault(translate({ ...thrown, message: thrown.message }) as Fault) : thrown;
  }
}
