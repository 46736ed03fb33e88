#!/bin/bash
# 从 stdin 读取事件数据
event_data=$(cat)

# 检查危险命令
tool_input=$(echo "$event_data" | grep -o '"command": "[^"]*"' | head -1 | cut -d'"' -f4)

if echo "$tool_input" | grep -qE "rm -rf /|mkfs|dd if=/dev/zero"; then
    echo "危险命令被阻止: $tool_input" >&2
    exit 2  # 退出码 2 表示阻断
fi

exit 0  # 退出码 0 表示允许
