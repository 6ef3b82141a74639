"""What ``manage.py serve`` runs: one parent, the web server, the task worker and a ticker."""
