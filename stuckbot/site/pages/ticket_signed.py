"""The signed results of a decision as a file, to be checked elsewhere."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from stuckbot.lib.desk_key import desk_key
from stuckbot.lib.errors import Missing
from stuckbot.lib.strict_json import dumps
from stuckbot.site.pages.visitor import Visitor, member_page
from verification.export import envelope, results_statement
from verification.selectors import attestations_get


@member_page
def ticket_signed(request: HttpRequest, visitor: Visitor, ref: str, job_id: UUID) -> HttpResponse:
    """A DSSE envelope with an in-toto statement, the same as the API's."""
    job, rows = attestations_get(actor=visitor.caller, job_id=job_id)
    if not rows or f"SB-{job.ticket.number}" != ref:
        raise Missing
    body = dumps(envelope(results_statement(job, rows), desk_key()))
    response = HttpResponse(body, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{ref}-{job.stage}.dsse.json"'
    return response
