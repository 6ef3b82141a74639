"""Who is asking: the actor as services and selectors see it."""

from dataclasses import dataclass, field
from uuid import UUID

#: What a role may do; a viewer only reads.
ROLES = ("owner", "admin", "member", "viewer")


@dataclass(frozen=True, slots=True)
class Caller:
    """An actor of one org with what it may do.

    `kind` is agent, person, system or connector. `role` is set for persons alone, `scopes` for
    agents and tokens. `project_ids` is None when every project of the org can be read.
    """

    id: UUID
    org_id: UUID
    kind: str
    name: str
    role: str | None = None
    scopes: frozenset[str] = field(default_factory=frozenset)
    project_ids: frozenset[UUID] | None = None
    token_id: UUID | None = None
    connector_id: UUID | None = None
    org_paused: bool = False
    policy_version: int = 0
    #: The org's, when whoever made the caller had it at hand.
    default_project_id: UUID | None = None

    @property
    def is_person(self) -> bool:
        return self.kind == "person"

    @property
    def is_agent(self) -> bool:
        return self.kind == "agent"

    @property
    def is_member(self) -> bool:
        """A person who may act: owner, admin or member."""
        return self.role in ("owner", "admin", "member")

    @property
    def is_admin(self) -> bool:
        return self.role in ("owner", "admin")

    def reads_project(self, project_id: UUID) -> bool:
        return self.project_ids is None or project_id in self.project_ids
