"""Elements that a step names by one attribute to the letter: css, test id, label, placeholder."""

from collections.abc import Sequence

from sparring.model.page import Element
from sparring_plugins.web.pages.controls import is_a
from sparring_plugins.web.step import Target

_TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-cy", "data-qa")


def selector_of(target: Target) -> str | None:
    """Return the CSS selector that the page is to be asked for; None if its elements say enough."""
    if target.by == "css":
        return target.text
    if target.by == "test id":
        text = target.text.replace("\\", "\\\\").replace('"', '\\"')
        return ", ".join(f'[{name}="{text}"]' for name in _TEST_IDS)
    return None


def find_located(target: Target, elements: Sequence[Element]) -> list[Element]:
    """Return the elements that have the attribute, of the target's kind if it names one."""
    located = [element for element in elements if _has(target, element)]
    if target.role is None:
        return located
    return [element for element in located if is_a(element, target.role)]


def _has(target: Target, element: Element) -> bool:
    text = target.text.strip()
    match target.by:
        case "css" | "test id":
            return selector_of(target) in element.attributes.get("matches", "").split("\n")
        case "label":
            is_control = element.editable or bool(element.options) or element.checked is not None
            label = element.label or (element.name if is_control else "")
            return element.tag != "label" and label.strip().rstrip("*: ") == text.rstrip("*: ")
        case "placeholder":
            return element.placeholder.strip() == text
        case "title":
            return element.title.strip() == text
        case _:
            return element.alternative.strip() == text


def explain_located(target: Target, count: int) -> str:
    """Return why an element is not taken: none has the attribute, or several have."""
    if not count:
        return f"no element on the page has the {target.by} '{target.text}'"
    return (
        f"{count} elements have the {target.by} '{target.text}': name one that is on one element "
        f"alone, or write the first element with the {target.by} '...'"
    )
