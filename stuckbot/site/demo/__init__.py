"""A believable week for a desk to look at: filled in through the services, and taken away again."""
