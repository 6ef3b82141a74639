"""The sentences that say how to mend a package: one for each field, whatever is wrong with it."""

import re
from typing import Final

_INDEX: Final = re.compile(r"\[\d+\]")
_STAGES: Final = re.compile(r"^(?:blocker|task)_criteria\[\]")

_TEXT: Final = "must be text of 1 to 20,000 characters"
_TEXTS: Final = "must be a list of at most 200 texts"
_LOOSE_TEXT: Final = "must be text of at most 20,000 characters"
_TEXT_OR_TEXTS: Final = "must be text, or a list of at most 200 texts, of at most 20,000 characters"
_SUMMARY: Final = "must be text of 1 to 1,200 characters"
_VALUE: Final = "must be text of at most 4,000 characters"
_WORDS: Final = "must be a list of at most 20 words"
_WORD: Final = "must be 1 to 50 characters of A-Z a-z 0-9 . _ : / -"

#: What each field must be, by its path without the list places.
_RULES: Final = {
    "": "must be an object",
    "title": "must be one line of 3 to 200 characters",
    "objective": _TEXT,
    "stuck_reason": _TEXT,
    "completed": _TEXTS,
    "completed[]": _TEXT,
    "remaining": _TEXTS,
    "remaining[]": _TEXT,
    "next_steps": _TEXTS,
    "next_steps[]": _TEXT,
    "attempts": "must be a list of at most 200 objects with what and result",
    "attempts[]": "must be an object with what and result",
    "attempts[].what": _TEXT,
    "attempts[].result": _TEXT,
    "blocker_criteria": "must be a list of 1 to 50 criteria",
    "task_criteria": "must be a list of at most 50 criteria",
    "criteria[]": "must be an object with description, method and expected",
    "criteria[].key": "must be 1 to 40 characters of A-Z a-z 0-9 . _ -",
    "criteria[].description": _TEXT,
    "criteria[].method": (
        "must be one of command, test_suite, log_match, artifact, external_check and manual"
    ),
    "criteria[].expected": _TEXT,
    "criteria[].command": _VALUE,
    "criteria[].pattern": _VALUE,
    "criteria[].url": _VALUE,
    "criteria[].expected_exit_code": "must be a whole number of at most 32 bits",
    "mode": "must be blocker_only, takeover_allowed or takeover_requested",
    "human_summary": "must be an object with problem, impact and next_step",
    "human_summary.problem": _SUMMARY,
    "human_summary.impact": _SUMMARY,
    "human_summary.next_step": _SUMMARY,
    "human_summary.outcome": _SUMMARY,
    "urgency": "must be a whole number from 1 to 10",
    "labels": _WORDS,
    "labels[]": _WORD,
    "required_skills": _WORDS,
    "required_skills[]": _WORD,
    "repro": _TEXT_OR_TEXTS,
    "constraints": _TEXT_OR_TEXTS,
    "budget_spent": "must be text, a number, or an object of numbers",
    "budget_spent.*": "must be a number",
    "schema_version": 'must be "1"',
    "context": "must be an object",
    "context.errors": _TEXT_OR_TEXTS,
    "context.logs": _TEXT_OR_TEXTS,
    "context.environment": "must be text or an object of texts",
    "context.environment.*": _LOOSE_TEXT,
    "context.snippets": "must be text or a list of at most 200 snippets",
    "context.snippets[]": "must be text, or an object of path and text",
    "context.snippets[].*": _LOOSE_TEXT,
    "context.attachment_ids": "must be a list of at most 200 attachment ids",
    "context.attachment_ids[]": "must be the id of an attachment",
    "context.workspace": "must be an object of texts",
    "context.workspace.*": _LOOSE_TEXT,
    "data_refs": "must be a list of at most 200 references",
    "data_refs[]": "must be an object with store, object and kind",
    "data_refs[].store": "must be 1 to 64 characters of A-Z a-z 0-9 -",
    "data_refs[].object": 'must be "sha256:" and 64 lower-case hex digits',
    "data_refs[].kind": "must be body or file",
    "data_refs[].name": "must be text of 1 to 255 characters",
    "data_refs[].media_type": "must be text of 1 to 255 characters",
    "data_refs[].size": "must be a whole number of bytes",
}

#: Objects whose fields share a rule, for the names of some are the sender's own.
_OPEN: Final = tuple(shape[:-2] for shape in _RULES if shape.endswith(".*"))

#: What to put into a field that is missing.
_WANTED: Final = {
    "title": "one line of 3 to 200 characters",
    "objective": "one or more sentences on the overall goal",
    "stuck_reason": "what exactly fails and why the agent cannot get past it",
    "completed": "a list of what is already done; it may be empty",
    "remaining": "a list of what is left after the blocker; it may be empty",
    "attempts": "a list of what was tried, each with what and result; it may be empty",
    "next_steps": "a list of what to try next; it may be empty",
    "blocker_criteria": "a list of at least one check that proves the blocker is gone",
    "task_criteria": (
        "at least one check that proves the task is done, which the takeover modes need"
    ),
    "mode": "blocker_only, takeover_allowed or takeover_requested",
    "human_summary.problem": "what is wrong, in one or two short sentences",
    "human_summary.impact": "what this prevents or affects",
    "human_summary.next_step": "who needs to do what next",
    "attempts[].what": "what was tried",
    "attempts[].result": "what came of it",
    "criteria[].description": "what the check shows, in plain words",
    "criteria[].method": (
        "one of command, test_suite, log_match, artifact, external_check and manual"
    ),
    "criteria[].expected": "what the check must show to pass",
    "context.snippets[].text": "the text of the snippet",
    "data_refs[].store": "the name of the data store",
    "data_refs[].object": '"sha256:" and the 64 lower-case hex digits of the content',
    "data_refs[].kind": "body or file",
}


def wrong(path: str) -> str:
    """What the field at `path` must be."""
    shape = _shape(path)
    if rule := _RULES.get(shape):
        return f"{path or 'The package'} {rule}."
    for holder in _OPEN:
        if shape.startswith(f"{holder}."):
            return f"{path} {_RULES[f'{holder}.*']}."
    return f"{path} does not have the form that the schema asks for."


def missing(path: str) -> str:
    wanted = _WANTED.get(_shape(path))
    return f"Add {path}: {wanted}." if wanted else f"Add {path}."


def unknown(holder: str, name: str) -> str:
    """For a field `name` that what stands at the path `holder` cannot have."""
    path = f"{holder}.{name}" if holder else name
    return f"Remove {path}: {holder or 'a package'} has no field named {name}."


def secret_word(path: str) -> str:
    """For a label, skill, key or name of a store; the word itself is never repeated."""
    return f"{path} looks like a secret. Take it out, and replace the secret if it is a real one."


def secret_in_command(path: str) -> str:
    return f"{path} holds a secret that cannot be masked without breaking it. Take the secret out."


def _shape(path: str) -> str:
    return _STAGES.sub("criteria[]", _INDEX.sub("[]", path))
