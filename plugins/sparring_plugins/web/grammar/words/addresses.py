"""Addresses of pages: what looks like one."""

import re

_ADDRESS = re.compile(
    r"""(?xi)
    [a-z][a-z0-9+.-]{0,20}:\S+ | /\S* | \.{1,2}/\S* | \?\S+ | \#\S+ | www\.\S+
    | localhost(:\d+)?(/\S*)? | \d{1,3}(\.\d{1,3}){3}(:\d+)?(/\S*)?
    | [\w-]+(\.[\w-]+)*\.(com|org|net|edu|gov|io|fr|de|uk|dev|app|eu|info|local|test|example|ch|it
      |es|nl|at|be|co|us|ca|ai|html?|php|aspx?|jsp|xhtml|svg|pdf|localhost|invalid)(:\d+)?([/?\#]\S*)?
    | (%\w+%|\$\{[^}]*\}|\{\{.*\}\}|<\w+>)\S*
    """
)


def is_address(text: str) -> bool:
    """Whether a text looks like an address: a URL, a path, a host, a variable."""
    return len(text) <= 2_000 and _ADDRESS.fullmatch(text.strip()) is not None
