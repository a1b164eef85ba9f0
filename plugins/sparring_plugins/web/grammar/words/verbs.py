"""The verbs of steps, by what they do, and the forms that people write them in."""

from typing import Final

from sparring_plugins.web.grammar.words.vocabulary import words

CLASSES: Final[dict[str, str]] = {
    "click": "click|tap|hit|push|activate|follow|trigger|touch|select_and_click|point_and_click"
    "|click_once|left-click|left_click|single-click|single_click|clic|depress|invoke",
    "double": "double-click|double_click|doubleclick|double-tap|double_tap|dblclick",
    "right": "right-click|right_click|rightclick|context-click|secondary-click",
    "press": "press|hit|push|strike|tap|press_down|press_on|push_on",
    "enter": "enter|write|input|put|insert|provide|supply|key_in|give|add|paste|specify|submit"
    "|enter_in|write_in|input_in|put_in|write_down|key|place|fill_in|fill|fill_out|populate"
    "|introduce|print",
    "type": "type|type_in|type_out|append|retype",
    "fill": "fill|fill_in|fill_out|fill_up|complete|populate|fill-in|fill-out|load|prefill|enter",
    "set": "set|increase|decrease|raise|lower|reduce|change|update|edit|modify|adjust|replace"
    "|switch|put|move|turn|overwrite|drag",
    "clear": "clear_the_text_from|clear_the_value_from|delete_the_content_from|erase_the_text_in"
    "|erase_the_text_from|empty_the_text_in|clear|empty|erase|blank|wipe|clear_out|delete_the_text_in|delete_the_text_of"
    "|delete_the_content_of|delete_the_contents_of|remove_the_text_from|remove_the_text_in"
    "|clear_the_text_in|clear_the_text_of|clear_the_content_of|clear_the_contents_of"
    "|delete_everything_in|delete_the_value_of|clear_the_value_of|remove_the_value_of"
    "|remove_the_value_from|delete_the_text_from|clear_the_value_in|delete_the_value_in",
    "select": "select|choose|pick|opt_for|pick_out|go_for|take|highlight|select_on|mark",
    "check": "check|tick|mark|check_off|tick_off|switch_on|turn_on|enable|activate|toggle_on|select"
    "|choose|pick|set",
    "uncheck": "uncheck|untick|unmark|unselect|deselect|clear|switch_off|turn_off|disable"
    "|deactivate|toggle_off|un-check|un-tick|de-select|unset|remove_the_check_from"
    "|remove_the_tick_from|remove_the_checkmark_from",
    "tabs": "switch|return|change",
    "open": "open|go_to|navigate_to|visit|browse_to|load|launch|access|surf_to|head_to|browse"
    "|navigate|go|open_up|point_the_browser_to|point_your_browser_to|start|go_into|head_over_to"
    "|jump_to|enter|proceed_to|move_to|switch_to|return_to|go_back_to|get_to|come_to|reach",
    "hover": "hover|hover_over|hover_on|mouse_over|mouseover|move_the_mouse_over"
    "|move_the_mouse_to|move_the_mouse_onto|move_the_mouse_pointer_over|move_the_mouse_on"
    "|move_the_cursor_over|move_the_cursor_to|point_to|point_at|move_the_pointer_over"
    "|point_the_mouse_at|place_the_cursor_over|place_the_mouse_over|hover_above|rest_the_mouse_on"
    "|move_mouse_over|move_mouse_to|move_cursor_over|move_cursor_to|hover_the_mouse_over|mouse_on"
    "|put_the_mouse_over|move_the_pointer_to|hover_the_mouse_on|hover_with_the_mouse_over"
    "|hover_the_cursor_over|move_your_mouse_over|hover_onto",
    "scroll": "scroll|page|swipe|scroll_the_page|scroll_the_window|move_the_scrollbar",
    "drag": "drag|drag_and_drop|drag-and-drop|move|pull|drag_the_element|drop|drag'n'drop",
    "upload": "upload|attach|load|import|add|choose|select|pick|provide|use",
    "wait": "wait|pause|sleep|hold_on|hold|stand_by|delay|stay|linger",
    "expand": "expand|unfold|open|uncollapse|open_up|show|reveal|extend",
    "collapse": "collapse|fold|close|minimize|minimise|fold_up|hide",
    "close": "close|dismiss|cancel|exit|shut|hide",
    "focus": "focus|focus_on|focus_in|put_the_focus_on|set_the_focus_on|set_focus_on"
    "|set_the_focus_to|set_focus_to|place_the_cursor_in|put_the_cursor_in|move_the_focus_to"
    "|give_focus_to|move_focus_to",
    "submit": "submit|save|confirm|send|post",
    "search": "search|look|search_for|look_for|look_up|query|google",
    "login": "log_in|login|sign_in|log_on|log-in|sign-in|authenticate|signin|logon|log_into"
    "|sign_into|log_yourself_in",
    "into": "into|in|inside|inside_of|within|to|on|onto|at|for|inside_the|in_to",
    "from": "from|in|of|inside|within|on|out_of|from_within|using|via|under|among|from_among",
    "with": "with|by|using|to_be|as|w/",
    "to": "to|onto|on|into|over|in|on_top_of|to_the_top_of|at|towards",
    "the": "the|a|an|my|your|his|her|its|their|this|that",
    "as": "as|for|as_the_value_of|as_the_value_for|as_value_for|as_value_of|as_value_in",
    "value": "value|text|values",
    "form": "form|fields|details|form_below|form_fields|data|registration_form|login_form"
    "|contact_form|information|blanks|inputs|form_above",
    "page": "website|web_site|site|page|web_page|webpage|url|address|link|uri|web_address"
    "|web_application|application|app|path|location|homepage_of|home_page_of|start_page|web_app",
}  # fmt: skip

#: Words that a clause may begin with, besides all first words of the classes above.
_MORE = (
    "click tap press hit type enter fill write input put insert select choose pick check "
    "tick mark uncheck untick unmark unselect deselect open go navigate visit browse load "
    "launch access hover scroll drag drop move upload attach wait pause sleep reload "
    "refresh return clear empty erase set change update replace expand collapse close "
    "dismiss accept focus submit save log login sign toggle switch turn double-click "
    "right-click double right left-click left mouse point assert verify ensure confirm "
    "validate make expect search find copy paste delete remove hold key specify provide "
    "supply push activate enable disable follow unfold fold cancel send use pull swipe look "
    "adjust edit modify complete populate start highlight append slide retype step leave "
    "keep locate identify do never don't "
)
_PREPOSITIONS = words("into in to with as from the a an on at for of")
VERBS: Final = frozenset(_MORE.split()) | {
    phrase.split("_")[0]
    for name, phrases in CLASSES.items()
    if name not in ("into", "from", "with", "to", "the", "as", "value", "page", "check", "upload",
                    "open", "enter", "fill")
    for phrase in phrases.split("|")
}  # fmt: skip
#: Verbs that are names of buttons as often: they begin a clause only in lower case.
BUTTON_LIKE: Final = words(
    "save cancel continue submit confirm send close open start post delete remove update"
    "search accept login log sign apply next back exit print add edit share download"
)


def base(word: str) -> str:
    """A verb in its base form: ``clicks`` and ``clicking`` are ``click``."""
    for ending, instead in (
        ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ies", "y"), ("oes", "o"),
        ("s", ""), ("pping", "p"), ("tting", "t"), ("gging", "g"), ("ing", ""), ("ing", "e"),
    ):  # fmt: skip
        if word.endswith(ending) and word not in VERBS:
            found = word[: -len(ending)] + instead
            if found in VERBS:
                return found
    return word
