"""The vendored build of axe-core 4.14.1 (npm, unchanged) and what runs it in a document.

axe-core is under the Mozilla Public License 2.0: its licence and those of what it bundles lie
beside it, and ``NOTICE`` lists it. A newer release replaces the three files as they are.
"""

from functools import cache
from importlib.resources import files

VERSION = "4.14.1"
_NAME = "__sparringAxe"

# A page may have an axe of its own, or a loader of modules that would take this one for the page's:
# neither notices ours.
_LOAD = """(() => {{
  if (window.{name}) return;
  const before = Object.getOwnPropertyDescriptor(window, 'axe');
  (function (define, module, exports, require) {{
{source}
  }}).call(window);
  Object.defineProperty(window, '{name}', {{ value: window.axe, configurable: true }});
  if (before) Object.defineProperty(window, 'axe', before);
  else delete window.axe;
}})();"""

HAS = f"() => !!window.{_NAME}"

PARTIAL = f"""async ({{ context, options }}) => {{
  const axe = window.{_NAME};
  const frames = axe.utils.getFrameContexts(context, options);
  const partial = await axe.runPartial(context, options);
  return JSON.stringify({{
    partial,
    frames: frames.map((f) => ({{ selector: f.frameSelector, context: f.frameContext }})),
  }});
}}"""
"""Examines one document; also returns the frames in it that are to be examined."""

FRAME = f"(selector) => window.{_NAME}.utils.shadowSelect(selector)"
"""Returns the element of a frame by the selector that `PARTIAL` returned."""

FINISH = f"""async ({{ partials, options, most, text }}) => {{
  const results = await window.{_NAME}.finishRun(partials.map((p) => JSON.parse(p)), options);
  const cut = (value) => String(value ?? '').slice(0, text);
  const rule = (found) => ({{
    id: cut(found.id),
    impact: found.impact || 'minor',
    help: cut(found.help),
    url: cut(found.helpUrl),
    count: found.nodes.length,
    nodes: found.nodes.slice(0, most).map((node) => ({{
      target: cut(node.target.flat(3).join(' ')),
      html: cut(node.html),
      why: cut(node.failureSummary),
    }})),
  }});
  return JSON.stringify({{
    violations: results.violations.slice(0, 100).map(rule),
    unclear: results.incomplete.length,
  }});
}}"""
"""Puts the parts of a page together; returns what is violated, within bounds."""


@cache
def source() -> str:
    """The script that puts axe-core into a document, once."""
    built = (files(__name__) / "axe.min.js").read_text(encoding="utf-8")
    return _LOAD.format(name=_NAME, source=built)
