"""One module per dialect: how a conversation goes, which events it has, and how a reply is obeyed.

Each module has NAME, REGISTRATIONS, `play`, `command_of` (the shell command of a tool event that the agent's own hook
looks at, else None) and `own_reply` (the reply of that hook in the dialect's own shape).
"""
