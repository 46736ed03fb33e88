#!/bin/bash
command -v black >/dev/null || { echo "black is not installed" >&2; exit 1; }
black --quiet .
