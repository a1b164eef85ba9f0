"""A draft as the two files of a feature space: its features, and templates that say them."""

from typing import Any

from sparring_plugins.language.yaml_files import yaml_text
from sparring_plugins.search.drafting.features import WISH, Draft

_STYLE: dict[str, Any] = {
    "politeness": {
        "scale": "ordinal",
        "values": {
            "rude": {"as": "be impatient", "traits": {"politeness": 0}},
            "neutral": {"as": "be neither rude nor polite"},
            "polite": {"as": "be very polite", "traits": {"politeness": 1}},
        },
    },
}
_PERTURBATION: dict[str, Any] = {
    "typing": {
        "values": {
            "none": None,
            "typos": {"apply": {"use": "typos", "rate": 0.3}},
            "lower": {"apply": {"use": "case", "mode": "lower"}},
        }
    },
}
_POLITENESS: dict[str, list[Any]] = {
    "opening": [
        {"when": "politeness == 'polite'", "any": ["Good day.", "Hello, I hope you can help me."]},
        "",
    ],
    "closing": [
        {"when": "politeness == 'polite'", "any": ["Thank you very much."]},
        {"when": "politeness == 'rude'", "any": ["And hurry up.", ""]},
        "",
    ],
}


def space_data(draft: Draft, name: str, templates: str) -> dict[str, Any]:
    """Return a draft as the data of a feature space's file."""
    content = {feature.name: feature.data() for feature in draft.features.values()}
    return {
        "name": name,
        **({"about": draft.about} if draft.about else {}),
        "style": _STYLE,
        "content": content,
        "perturbation": _PERTURBATION,
        **({"constraints": draft.constraints} if draft.constraints else {}),
        "templates": templates,
        **({"notes": draft.notes[:20]} if draft.notes else {}),
    }


def templates_data(draft: Draft) -> dict[str, Any]:
    """Return templates that say each feature of a draft, in two orders."""
    others = [feature.slot for feature in draft.features.values() if feature.name != WISH]
    slots, reverse = "".join(others), "".join(reversed(others))
    wish = f"{{{WISH}}}" if WISH in draft.features else "ask for something"
    polite = [f"Could you please {wish}{slots}?", f"I would like to {wish}{reverse}, please."]
    return {
        "start": "{opening} {request} {closing}",
        "symbols": {
            **_POLITENESS,
            "request": [
                {"when": "politeness == 'polite'", "any": polite},
                [f"I want to {wish}{slots}.", f"{wish}{reverse}."],
            ],
        },
    }


def imported_files(data: dict[str, Any], name: str) -> tuple[str, str]:
    """Return the texts of an imported space's file and of templates that list its values."""
    content: dict[str, Any] = data.get("content") or {}
    said = "".join(f"[ {feature.replace('_', ' ')} {{{feature}}};]" for feature in content)
    templates = f"{name}-templates.yaml"
    space = {**data, "name": name, "templates": templates}
    return yaml_text([space]), yaml_text([{"start": f"My request:{said}"}])


def draft_files(draft: Draft, name: str, sources: str) -> tuple[str, str]:
    """Return the texts of the space's file and of its templates."""
    head = f"# Drafted from {sources}: look at each feature, and delete what is none.\n"
    data = space_data(draft, name, f"{name}-templates.yaml")
    return head + yaml_text([data]), yaml_text([templates_data(draft)])
