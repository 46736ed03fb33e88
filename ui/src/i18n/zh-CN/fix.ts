import type en from "@/i18n/en/fix";
import type { Same } from "@/i18n/shape";

/** 解释页提供的修复。 */
export default {
  now: "当前匹配条件",
  add: "将 {{name}} 加入匹配条件",
  change: "将 {{from}} 改为 {{to}}",
  apply: "应用修复",
  done: "已修改 {{hook}} 的匹配条件。",
  file: {
    make_executable: "将 {{file}} 设为可执行",
    line_endings: "转换 {{file}} 的换行符",
    interpreter_line: "改写 {{file}} 的第一行",
    first_line: "将 #! 移到 {{file}} 开头",
    printf: "在 {{file}} 中改用 printf",
    to_stderr: "将 {{file}} 中的输出改到 stderr",
    line_text: "更正 {{file}} 第 {{line}} 行",
    byte_order_mark: "删除 {{file}} 的字节顺序标记",
    rename_key: "将 {{file}} 中的键改名为 {{to}}",
    add_wrapper: "将 {{file}} 中的事件移到 {{to}} 之下",
    remove_wrapper: "将 {{file}} 中的事件移出 {{to}}",
    move_file: "将 {{file}} 移到 {{to}}",
    field: "更正 {{file}} 中的 {{field}}",
    done: "已修改 {{file}}。",
    mode: "权限由 {{from}} 改为 {{to}}",
  },
} satisfies Same<typeof en>;
