"""Addresses of the pages about people."""

from django.urls import path

from stuckbot.site.pages import account, join, notices, people

urlpatterns = [
    path("people", people.people_page, name="people"),
    path("people/invite", people.people_invite, name="people_invite"),
    path(
        "people/invitations/<uuid:invitation_id>/again",
        people.invitation_again,
        name="invitation_again",
    ),
    path(
        "people/invitations/<uuid:invitation_id>/withdraw",
        people.invitation_withdraw,
        name="invitation_withdraw",
    ),
    path("people/<uuid:membership_id>/role", people.member_role, name="member_role"),
    path("people/<uuid:membership_id>/remove", people.member_gone, name="member_gone"),
    path("account", account.account_page, name="account"),
    path("account/details", account.account_change, name="account_change"),
    path("account/sign-out-elsewhere", account.account_sessions_end, name="account_sessions_end"),
    path("account/tokens", account.account_token_make, name="account_token_make"),
    path("account/token", account.account_token, name="account_token"),
    path(
        "account/tokens/<uuid:token_id>/revoke",
        account.account_token_revoke,
        name="account_token_revoke",
    ),
    path("account/notices/<uuid:membership_id>", notices.account_notices, name="account_notices"),
    path("unsubscribe/<str:token>", notices.unsubscribe, name="unsubscribe"),
    path("join/<str:token>", join.join, name="join"),
    path("sign-up/<str:token>", join.sign_up_end, name="sign_up_end"),
    # Ours instead of the sign-in package's.
    path("accounts/signup/", join.sign_up, name="sign_up"),
]
