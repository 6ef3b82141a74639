"""Tenancy: every row belongs to one org, and a query that does not say which is refused."""

from typing import Any, NoReturn, Self, TypeVar
from uuid import UUID

from django.db import models

_M = TypeVar("_M", bound=models.Model)


class UnscopedQuery(RuntimeError):
    """A query over an org's table that does not name the org."""


class OrgManager(models.Manager[_M]):
    """`Model.objects.of(org_id)` is the only way in; anything else raises `UnscopedQuery`."""

    use_in_migrations = False

    def of(self, org_id: UUID) -> models.QuerySet[_M]:
        return models.QuerySet[_M](self.model, using=self._db).filter(org_id=org_id)

    def get_queryset(self) -> NoReturn:
        raise UnscopedQuery(
            f"{self.model.__name__}.objects needs .of(org_id); "
            "the admin and the sweep, which see all orgs, use .unscoped."
        )

    def contribute_to_class(self, cls: type[models.Model], name: str) -> None:
        super().contribute_to_class(cls, name)

    def __class_getitem__(cls, item: Any) -> type[Self]:
        return cls


class OrgOwned(models.Model):
    """Base of every table with an `org_id` column.

    `unscoped` is for what looks at all orgs by design: sign-in by token, the sweep, the operators'
    admin, and Django's own look-ups. A test lists the modules that may name it.
    """

    unscoped = models.Manager[Self]()
    objects = OrgManager[Self]()

    class Meta:
        abstract = True
        default_manager_name = "unscoped"
        base_manager_name = "unscoped"
