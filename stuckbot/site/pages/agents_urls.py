"""Addresses of the pages about agents and their connectors."""

from django.urls import path

from stuckbot.site.pages import agent, agents, agents_acts, connectors

urlpatterns = [
    path("agents", agents.agents_page, name="agents"),
    path("agents/key", agents_acts.key_page, name="agent_key"),
    path("agents/key/new", agents_acts.key_new, name="agent_key_new"),
    path("agents/key/shown", agents_acts.key_shown, name="agent_key_shown"),
    path("agents/connectors", connectors.connectors_page, name="connectors"),
    path("agents/connectors/new", connectors.connector_new, name="connector_new"),
    path("agents/connectors/<uuid:connector_id>", connectors.connector_page, name="connector"),
    path(
        "agents/connectors/<uuid:connector_id>/save",
        connectors.connector_save,
        name="connector_save",
    ),
    path(
        "agents/connectors/<uuid:connector_id>/stop",
        connectors.connector_stop,
        name="connector_stop",
    ),
    path(
        "agents/connectors/<uuid:connector_id>/start",
        connectors.connector_start,
        name="connector_start",
    ),
    path(
        "agents/connectors/<uuid:connector_id>/revoke",
        connectors.connector_revoke,
        name="connector_revoke",
    ),
    path(
        "agents/connectors/<uuid:connector_id>/secret",
        connectors.connector_secret,
        name="connector_secret",
    ),
    path("agents/<uuid:agent_id>", agent.agent_page, name="agent"),
    path("agents/<uuid:agent_id>/ask", agents_acts.agent_ask, name="agent_ask"),
    path("agents/<uuid:agent_id>/withdraw", agents_acts.agent_withdraw, name="agent_withdraw"),
    path("agents/<uuid:agent_id>/revoke", agents_acts.agent_revoke, name="agent_revoke"),
    path("agents/<uuid:agent_id>/key", agents_acts.agent_key_renew, name="agent_key_renew"),
    path(
        "agents/<uuid:agent_id>/tokens/<uuid:token_id>/revoke",
        agents_acts.agent_token_revoke,
        name="agent_token_revoke",
    ),
]
