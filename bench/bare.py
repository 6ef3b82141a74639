"""What the desk is measured against: the least that a REST framework view could do.

Each call checks the same bearer token, looked up through the ORM with its bearer, and reads or
inserts one row. No idempotency, no events, no rules.
"""

from typing import Any

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Agent, Project, Token
from accounts.tokens import token_lookup, token_matches
from stuckbot.lib import clock, ids
from stuckbot.lib.content import json_bytes
from stuckbot.lib.models import Content


class Bearer:
    """The agent behind the token, as `request.user`."""

    is_authenticated = True

    def __init__(self, agent: Agent) -> None:
        self.agent = agent


class BearerAuthentication(BaseAuthentication):
    def authenticate(self, request: Request | HttpRequest) -> tuple[Any, Token]:
        text = request.headers.get("Authorization", "").removeprefix("Bearer ")
        lookup = token_lookup(text)
        rows = Token.unscoped.select_related("org", "agent__connector")
        token = rows.filter(lookup=lookup).first()
        if token is None or token.agent is None or not token_matches(text, token.sha256):
            raise AuthenticationFailed
        if not token.is_live(clock.now()) or token.agent.retired_at is not None:
            raise AuthenticationFailed
        return Bearer(token.agent), token


class BareRead(APIView):
    authentication_classes = [BearerAuthentication]
    permission_classes = [IsAuthenticated]

    def get(self, request: Request) -> Response:
        token: Any = request.auth
        row = Project.objects.of(token.org_id).get(id=token.org.default_project_id)
        return Response({"id": str(row.id), "name": row.name})


class BareInsert(APIView):
    authentication_classes = [BearerAuthentication]
    permission_classes = [IsAuthenticated]

    def post(self, request: Request) -> Response:
        token: Any = request.auth
        row = Content(
            id=ids.uuid7(),
            org_id=token.org_id,
            kind="bare",
            bytes=json_bytes(request.data),
            sha256="",
            created_at=clock.now(),
        )
        row.save(force_insert=True)
        return Response({"id": str(row.id)}, status=201)
