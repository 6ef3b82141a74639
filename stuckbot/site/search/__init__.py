"""The worker's part of search: reads the org's events and keeps what its tickets are found by."""
