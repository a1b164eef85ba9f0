"""How certificates are checked: the settings and the context made of them."""

import ssl

from pydantic import Field, model_validator

from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext, PluginConfig


class TlsConfig(PluginConfig):
    """How https is checked."""

    verify: bool = Field(default=True, description="Whether the app's certificate must be trusted.")
    ca_file: str | None = Field(
        default=None, description="Certificates to trust instead of the system's."
    )
    cert_file: str | None = Field(
        default=None, description="Our own certificate, where the app wants one."
    )
    key_file: str | None = Field(default=None, description="The key of `cert_file`.")

    @model_validator(mode="after")
    def _fits(self) -> "TlsConfig":
        if self.ca_file and not self.verify:
            raise ValueError("ca_file says what to trust, but verify: false trusts everything")
        if self.key_file and not self.cert_file:
            raise ValueError("key_file needs cert_file")
        return self


def tls_context(tls: TlsConfig, context: BuildContext) -> ssl.SSLContext:
    """How https is checked; raises ConfigurationError if a file is missing or unfit."""
    try:
        if tls.ca_file:
            ssl_context = ssl.create_default_context(cafile=str(context.files(tls.ca_file)[0]))
        else:
            ssl_context = _system_trust(tls.verify)
        if tls.cert_file:
            key = str(context.files(tls.key_file)[0]) if tls.key_file else None
            ssl_context.load_cert_chain(str(context.files(tls.cert_file)[0]), key)
    except (ssl.SSLError, OSError) as err:
        raise ConfigurationError(f"tls: a certificate cannot be used: {err}") from err
    return ssl_context


def _system_trust(verify: bool) -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context(verify=verify)
