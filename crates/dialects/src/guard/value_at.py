def value_at(value, path):
    """The value at a path. A value that is JSON text is read on the way."""
    for name in path:
        if isinstance(value, str):
            value = json.loads(value)
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value
