"""Find text within an element; select it as a person does: press, move to its end, let go."""

from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Position

from sparring.model.talk import GuiAction
from sparring_connectors.browser.context import (
    ActOutcome,
    ActTarget,
    PageContext,
    action_timeout_ms,
    find_target,
    read_text,
)
from sparring_connectors.browser.failures import ActRefused, act_refused

_STEPS = 12
_SELECT_IN_FIELD = """(field, text) => {
  const at = text ? field.value.indexOf(text) : 0;
  if (at < 0) return false;
  field.focus();
  field.setSelectionRange(at, at + (text || field.value).length);
  return true;
}"""
_FIND = """(node, [text, swept]) => {
  const element = node.nodeType === 1 ? node : node.parentElement;
  const nodes = [], walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let whole = '';
  for (let next = walker.nextNode(); next; next = walker.nextNode()) {
    nodes.push([next, whole.length]);
    whole += next.data;
  }
  const start = text ? whole.indexOf(text) : whole.search(/\\S/);
  if (start < 0) return null;
  const end = text ? start + text.length : whole.trimEnd().length;
  const place = (offset, ends) => {
    const holder = nodes.findLast(([, begin]) => ends ? begin < offset : begin <= offset);
    return [holder[0], offset - holder[1]];
  };
  const range = element.ownerDocument.createRange();
  range.setStart(...place(start, false));
  range.setEnd(...place(end, true));
  const selection = element.ownerDocument.getSelection();
  const squeezed = (text) => text.replace(/\\s+/g, ' ').trim();
  if (swept) {
    if (squeezed(selection.toString()) === squeezed(range.toString())) return null;
    selection.removeAllRanges();
    selection.addRange(range);
    return null;
  }
  selection.removeAllRanges();
  const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
  if (!boxes.length) return null;
  const first = boxes[0], last = boxes[boxes.length - 1];
  return {from: [first.left + 0.5, (first.top + first.bottom) / 2],
    to: [last.right - 0.5, (last.top + last.bottom) / 2]};
}"""
"""Returns where a text begins and ends.

A press within a selection would move the selected text, so that there is none first. If the mouse
missed a letter, as at a line's end, the rest is selected too.
"""
_PLACE_OF_WORDS = """(node, words) => {
  const holder = node.nodeType === 1 ? node : node.parentElement, page = holder.ownerDocument;
  const walker = page.createTreeWalker(node, NodeFilter.SHOW_TEXT), letters = [];
  const isUnseen = (letter) => /[\\u00ad\\u200b-\\u200d\\u2060\\ufeff]/.test(letter);
  const blockOf = (text) => {
    let block = text.parentElement;
    while (block !== holder && /^(inline|contents)/.test(getComputedStyle(block).display)) {
      block = block.parentElement;
    }
    return block;
  };
  let text = node.nodeType === 3 ? node : walker.nextNode(), last = null;
  for (; text; text = walker.nextNode()) {
    const block = blockOf(text);
    if (last && block !== last) letters.push({letter: '\\n'});
    last = block;
    [...text.data].reduce((at, letter) => {
      const end = at + letter.length, blank = /\\s/.test(letter), before = letters.at(-1);
      if (!isUnseen(letter) && !(blank && before && before.letter === ' ')) {
        letters.push({letter: blank ? ' ' : letter, text, at, end});
      }
      return end;
    }, 0);
  }
  const wanted = [...words.trim().replace(/\\s+/g, ' ')].filter((letter) => !isUnseen(letter));
  const isWord = (entry) => !!entry && /[\\p{L}\\p{N}_]/u.test(entry.letter);
  const placeOf = (first, end) => {
    const range = page.createRange();
    range.setStart(letters[first].text, letters[first].at);
    range.setEnd(letters[end - 1].text, letters[end - 1].end);
    return [...range.getClientRects()].find((box) => box.width > 0 && box.height > 0);
  };
  const find = (same) => {
    for (let first = 0; wanted.length && first + wanted.length <= letters.length; first++) {
      const end = first + wanted.length;
      const cuts = isWord(letters[first]) && isWord(letters[first - 1])
        || isWord(letters[end - 1]) && isWord(letters[end]);
      if (cuts || !wanted.every((letter, i) => same(letter, letters[first + i].letter))) continue;
      const box = placeOf(first, end);
      if (box) return box;
    }
    return null;
  };
  const place = find((a, b) => a === b) || find((a, b) => a.toLowerCase() === b.toLowerCase());
  if (!place) return null;
  const whole = page.createRange();
  whole.selectNode(node);
  const box = node.nodeType === 1 ? node.getBoundingClientRect() : whole.getBoundingClientRect();
  const [left, top] = node.nodeType === 1 ? [node.clientLeft, node.clientTop] : [0, 0];
  return {x: (place.left + place.right) / 2 - box.left - left,
    y: (place.top + place.bottom) / 2 - box.top - top};
}"""
"""Returns the middle of the first piece of some words, from the corner of what holds them.

Whole words, best in the same capitals. What has no width lies within words of some pages.
"""


async def position_of_words(target: ActTarget, words: str) -> Position | None:
    """Return where some words can be clicked, from the target's corner; `None` if nowhere."""
    point: dict[str, float] | None = await target.handle.evaluate(_PLACE_OF_WORDS, words)
    return Position(x=point["x"], y=point["y"]) if point else None


async def select_text(context: PageContext, act: GuiAction) -> ActOutcome:
    """Select all text of the target, or the part of it that is the value."""
    target = await find_target(context, act)
    text = read_text(context, act) if act.value is not None else ""
    handle = target.handle
    try:
        await handle.scroll_into_view_if_needed(timeout=action_timeout_ms(context))
        if target.about["field"] and await handle.evaluate("(e) => typeof e.value === 'string'"):
            selected = await handle.evaluate(_SELECT_IN_FIELD, text)
        else:
            place: dict[str, Any] | None = await handle.evaluate(_FIND, [text, False])
            selected = place is not None
            if place is not None:
                await _sweep(context, target.frame, place)
                await handle.evaluate(_FIND, [text, True])
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    if not selected:
        raise ActRefused("not_there", f"select_text: the target has no text {text[:80]!r}")
    return ActOutcome(hit=True)


async def _sweep(context: PageContext, frame: Any, place: dict[str, Any]) -> None:
    """Move the mouse with its button down from the first letter to the last one."""
    offset = (0.0, 0.0)
    if frame is not context.tab.page.main_frame:
        box = await (await frame.frame_element()).bounding_box()
        offset = (box["x"], box["y"]) if box else offset
    mouse = context.tab.page.mouse
    await mouse.move(place["from"][0] + offset[0], place["from"][1] + offset[1])
    await mouse.down()
    await mouse.move(place["to"][0] + offset[0], place["to"][1] + offset[1], steps=_STEPS)
    await mouse.up()
