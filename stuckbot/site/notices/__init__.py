"""Mail to members about decisions that wait for a person.

`reading` follows the org's events and writes down who is to hear of what; `mailing` writes the
mails when they leave; `due` says what of this wants doing, and does it. See docs/adr.
"""
