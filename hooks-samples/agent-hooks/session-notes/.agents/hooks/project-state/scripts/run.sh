#!/bin/sh
# What is printed and is no JSON becomes context for the model.
cat > /dev/null
if ! git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    exit 0
fi
branch=$(git symbolic-ref --short -q HEAD || echo "no branch")
changed=$(git status --porcelain | wc -l | tr -d ' ')
echo "Git branch: $branch; files that are not committed: $changed."
