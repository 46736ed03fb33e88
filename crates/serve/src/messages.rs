//! Messages of this crate for programs and for the command line. Messages that a window shows are in
//! [`hookwright_app::fault`], from which the window's texts are generated.

hookwright_model::messages! {
    /// Another engine serves this data folder.
    ENGINE_LIVES = "engine_lives" { "an engine (process {pid}) already serves {data_dir}", "已有引擎（进程 {pid}）在服务 {data_dir}" } hint { "run `hookwright open --web` for a link to its page, or set HOOKWRIGHT_DATA to another folder", "使用该引擎（`hookwright open --web` 会打印其页面的新链接）、停止该引擎，或用 HOOKWRIGHT_DATA 另设数据文件夹" };
    /// The engine serves no page for browsers.
    NO_PAGE = "no_page" { "this engine serves no page for a browser", "此引擎没有提供浏览器页面" } hint { "run `hookwright serve --web` in its place, or use its window", "停止此引擎并执行 `hookwright serve --web`，或使用桌面窗口" };
    /// Another engine took over.
    REPLACED = "engine_ended" / "replaced" { "this engine ends, because another one now serves {data_dir}", "此引擎将结束，因为另一个引擎正在服务 {data_dir}" } hint { "use that one; this one did not respond for too long", "使用该引擎；此引擎过久无响应" };
    /// The file by which clients find the engine was removed.
    UNREACHABLE = "engine_ended" / "unreachable" { "this engine ends, because {path} was removed", "此引擎将结束，因为 {path} 已被删除" } hint { "run `hookwright serve` again", "重新执行 `hookwright serve`" };
    /// The socket cannot be created.
    CANNOT_LISTEN = "cannot_listen" { "cannot listen on {path}: {why}", "无法在 {path} 上监听：{why}" } hint { "check who owns the folder and whether the disk is full", "检查该文件夹的所有者以及磁盘是否已满" };
    /// A file that is not a socket is at the path of the socket.
    IN_THE_WAY = "cannot_listen" / "in_the_way" { "cannot listen on {path}: it exists and is not a socket", "无法在 {path} 上监听：该文件已存在，且不是套接字" } hint { "move it away; Hookwright removes only files that it created", "将其移走；Hookwright 只移除自己创建的文件" };
    /// Another engine listens on the named agent socket.
    SOCKET_IN_USE = "cannot_listen" / "in_use" { "another engine listens on {path}", "另一个引擎正在 {path} 上监听" } hint { "set HOOKWRIGHT_SOCKET to another path, or stop that engine", "将 HOOKWRIGHT_SOCKET 设为其他路径，或停止该引擎" };
    /// The named agent socket has too long a path.
    SOCKET_TOO_LONG = "cannot_listen" / "too_long" { "cannot listen on {path}: the path is too long for a socket", "无法在 {path} 上监听：路径过长，不能用作套接字" } hint { "set HOOKWRIGHT_SOCKET to a shorter path", "将 HOOKWRIGHT_SOCKET 设为更短的路径" };
    /// A line is not JSON.
    NOT_JSON = "not_json" { "the line is not JSON: {why}", "该行不是 JSON：{why}" } hint { "send one JSON object per line", "每行发送一个 JSON 对象" };
    /// A line is not UTF-8.
    NOT_UTF8 = "not_utf8" { "the line is not UTF-8", "该行不是 UTF-8" } hint { "send one JSON object per line, in UTF-8", "每行以 UTF-8 发送一个 JSON 对象" };
    /// A line is JSON but not a request.
    NOT_A_REQUEST = "not_a_request" { "this is not a JSON-RPC 2.0 request: {why}", "这不是 JSON-RPC 2.0 请求：{why}" } hint { "send `{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"state\"}`", "发送 `{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"state\"}`" };
    /// A line is a JSON-RPC batch.
    NO_BATCH = "no_batch" { "batches are not supported", "不支持批量请求" } hint { "send each request on a separate line; requests run in parallel", "每行发送一个请求；各请求会并行处理" };
    /// The parameters are not an object, so they have no names.
    BY_NAME = "by_name" { "parameters must be given by name", "参数必须按名称给出" } hint { "send `params` as an object", "以对象形式发送 `params`" };
    /// The unfinished lines of all connections are too long together.
    LINES_TOO_LONG = "lines_too_long" { "unfinished lines have more than {limit} bytes together; this connection has the longest and is closed", "所有连接中未结束的行合计超过 {limit} 字节；此连接的行最长，已关闭" } hint { "open a new connection and send whole lines", "重新连接，并发送完整的行" };
    /// A process has more connections to the agent socket than it may.
    TOO_MANY_CONNECTIONS = "too_many_connections" { "one process can have at most {limit} connections; this one is closed", "一个进程最多可有 {limit} 个连接；此连接已关闭" } hint { "use one connection for each session, and close those that are not needed", "每个会话使用一个连接，并关闭不需要的连接" };
    /// A connection did not open a session in time, or is one of too many.
    NOT_OPENED = "session_not_opened" { "the connection has opened no session; it is closed", "该连接未打开会话，已关闭" } hint { "open a session with `session.open` at once after connecting", "连接后立即用 `session.open` 打开会话" };
    /// A line is longer than the limit.
    LINE_TOO_LONG = "line_too_long" { "the line is longer than {limit} bytes; the connection is closed", "该行超过 {limit} 字节；连接已关闭" } hint { "open a new connection and send shorter lines", "重新连接，并发送更短的行" };
    /// A trace does not fit into a line, so its streams and edits are cut.
    STREAMS_CUT = "streams_cut" { "the trace is too long for one response: streams and edits are cut to {limit}; see `hookwright show`", "记录过长，无法放入一次响应：输出流和修改会截断为 {limit}；完整内容见 `hookwright show`" };
}
