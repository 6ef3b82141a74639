"""The style page: each part in each state, for whoever builds pages, and for nobody else."""

from typing import Any

import pytest
from django.test import Client

PAGES = ["/style", "/style/themes.css"]


@pytest.mark.parametrize("path", PAGES)
def test_it_is_not_there_for_readers(path: str, db: None) -> None:
    assert Client().get(path).status_code == 404


def test_it_shows_each_part_in_both_themes(settings: Any, db: None) -> None:
    settings.DEBUG = True
    page = Client().get("/style").content.decode()
    assert page.count('class="theme"') == 2
    for part in (
        'class="badge red"',
        'class="badge green"',
        'class="urgency filled"',
        'class="chip warned"',
        'class="label"',
        'class="notice bad"',
        'class="button danger"',
        'class="confirm"',
        'class="errorlist"',
        'class="choice"',
        'class="table"',
        'class="mark"',
        'class="fold"',
        'rel="next"',
    ):
        assert page.count(part) >= 2, part
    assert "\u202e" not in page


def test_it_takes_the_themes_from_the_stylesheet(settings: Any, db: None) -> None:
    settings.DEBUG = True
    response = Client().get("/style/themes.css")
    assert response.headers["Content-Type"] == "text/css"
    light, dark = response.content.decode().split('[data-theme="dark"]')
    assert "color-scheme: light;" in light
    assert light.count("--ground:") == 1
    assert dark.count("--ground:") == 2
    assert "color-scheme: dark;" in dark
