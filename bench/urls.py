"""The desk's routes, and the bare views on the same short way past the page middleware."""

from django.urls import path

from bench.bare import BareInsert, BareRead
from stuckbot.urls import urlpatterns as desk

urlpatterns = [
    path("api/bare/read", BareRead.as_view()),
    path("api/bare/insert", BareInsert.as_view()),
    *desk,
]
