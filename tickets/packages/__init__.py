"""The handoff package: its schema, its check, and the rules for the commands in it. No ORM."""
