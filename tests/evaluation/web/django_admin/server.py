"""Django's own admin with users, groups, flat pages and sites; run by an interpreter that has Django.

It prints its address, serves on the loopback until it is ended, and puts its data back at ``/reset``.
The argument is a folder for its database.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from django.utils import timezone

FOLDER = Path(sys.argv[1])
DATABASE, FRESH = FOLDER / "admin.sqlite3", FOLDER / "fresh.sqlite3"

# The admin shows when something was done: with a clock that stands still, equal runs show the same.
timezone.now = lambda: datetime(2026, 1, 5, 12, tzinfo=UTC)

settings.configure(
    SECRET_KEY="only for tests",
    DEBUG=True,
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
        "django.contrib.sites",
        "django.contrib.flatpages",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATABASE)}},
    AUTH_PASSWORD_VALIDATORS=[
        {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}
    ],
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    STATIC_URL="/static/",
    SITE_ID=1,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    TIME_ZONE="UTC",
    LANGUAGE_CODE="en-us",
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402
from django.contrib.flatpages.models import FlatPage  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connections  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402


@csrf_exempt
def reset(request: HttpRequest) -> HttpResponse:
    """Put the data back as they were at the start."""
    connections.close_all()
    shutil.copyfile(FRESH, DATABASE)
    return HttpResponse("fresh")


urlpatterns = [path("reset", reset), path("admin/", admin.site.urls)]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser hangs up when it likes."""


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def _fill() -> None:
    call_command("migrate", verbosity=0)
    User.objects.create_superuser("ada", "ada@example.org", "countess")
    people = [
        ("grace", "Grace", "Hopper", True),
        ("alan", "Alan", "Turing", False),
        ("edsger", "Edsger", "Dijkstra", False),
        ("barbara", "Barbara", "Liskov", True),
    ]
    for name, first, last, staff in people:
        User.objects.create_user(
            name, f"{name}@example.org", "secret-12", first_name=first, last_name=last,
            is_staff=staff,
        )  # fmt: skip
    for name in ("Editors", "Readers"):
        Group.objects.create(name=name)
    page = FlatPage.objects.create(url="/about/", title="About us", content="Who we are.")
    page.sites.set([1])
    connections.close_all()
    shutil.copyfile(DATABASE, FRESH)


if __name__ == "__main__":
    _fill()
    application = StaticFilesHandler(get_wsgi_application())
    server = make_server("127.0.0.1", 0, application, server_class=_Server, handler_class=_Quiet)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/admin/\n")
    sys.stdout.flush()
    server.serve_forever()
