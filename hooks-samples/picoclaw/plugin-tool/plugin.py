"""A tool that no registry knows: offered at before_llm, answered at before_tool."""

import json
import sys


def handle_before_llm(params: dict) -> dict:
    tools = params.get("tools", [])
    # 添加插件工具定义
    tools.append({
        "type": "function",
        "function": {
            "name": "my_plugin_tool",
            "description": "插件提供的工具",
            "parameters": {
                "type": "object",
                "properties": {
                    "input": {"type": "string", "description": "输入内容"}
                },
                "required": ["input"]
            }
        }
    })
    return {
        "action": "modify",
        "request": {
            "model": params["model"],
            "messages": params["messages"],
            "tools": tools,
            "options": params.get("options", {})
        }
    }


def handle_before_tool(params: dict) -> dict:
    tool = params.get("tool", "")
    if tool == "my_plugin_tool":
        # 在这里实现工具逻辑
        args = params.get("arguments", {})
        input_text = args.get("input", "")
        # 直接返回结果,无需在 ToolRegistry 注册
        return {
            "action": "respond",
            "result": {
                "for_llm": f"插件工具执行成功,输入: {input_text}",
                "silent": False,
                "is_error": False
            }
        }
    return {"action": "continue"}


HANDLERS = {
    "hook.before_llm": handle_before_llm,
    "hook.before_tool": handle_before_tool,
}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        if message["method"] == "hook.hello":
            result = {"ok": True, "name": "plugin-tool"}
        else:
            handle = HANDLERS.get(message["method"], lambda params: {"action": "continue"})
            result = handle(message["params"])
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
