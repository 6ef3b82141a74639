"""Full-text search over tickets, and tickets that look like the same problem.

`tokens` cuts text into words the same way for both databases and for queries; `query` reads what
somebody typed; `document` says which words of a ticket are found by; `index` keeps them and `find`
asks for them, through FTS5 on SQLite (`fts5`) and a GIN index on PostgreSQL (`lexemes`);
`fingerprint`, `stems` and `similar` find what looks like the same problem.
"""
