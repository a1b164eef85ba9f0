"""Sentences whose parts belong together, on pages with everyday widgets, in a real browser."""

import pytest

from .conftest import Done, Site, play

_MAIL = """<!doctype html><title>Mail</title><h1>Inbox</h1><div id="list"></div>
<div id="one" hidden><h2></h2><button class="reply">Reply</button>
<button class="forward">Forward</button></div>
<div id="form" hidden><label>To: <input id="to"></label><textarea id="body"></textarea>
<button id="send">Send</button></div><p id="log"></p>
<script>
const log = (text) => document.getElementById('log').textContent = text;
const show = (id) => ['list', 'one', 'form'].forEach(
  (other) => document.getElementById(other).hidden = other !== id);
for (const [name, subject] of [['Ida Holm', 'Seeds'], ['Jon Vik', 'Rain'], ['Mo Ek', 'Hens']]) {
  const row = document.createElement('div');
  row.className = 'thread';
  row.style.cursor = 'pointer';
  row.innerHTML = `<div>${name}</div><div>${subject}</div><span class="archive-icon"
    style="display:inline-block;width:14px;height:14px;cursor:pointer"></span>`;
  row.addEventListener('click', () => {
    document.querySelector('h2').textContent = subject; show('one'); });
  row.querySelector('span').addEventListener('click', (event) => {
    event.stopPropagation(); row.remove(); log(`archived ${name}`); });
  document.getElementById('list').append(row);
}
document.querySelector('.forward').onclick = () => {
  document.getElementById('body').value = document.querySelector('h2').textContent; show('form'); };
document.querySelector('.reply').onclick = () => {
  document.getElementById('to').parentElement.remove(); show('form'); };
document.getElementById('send').onclick = () => {
  const to = document.getElementById('to');
  log(`sent ${document.getElementById('body').value} to ${to ? to.value : 'sender'}`);
  show('list'); };
</script>"""
_DESK = """<!doctype html><title>Desk</title>
<textarea>Oak and ash</textarea><textarea>Elm and yew</textarea><input id="copy">
<button onclick="document.getElementById('log').textContent =
  'got ' + document.getElementById('copy').value">Send</button>
<ul id="list" style="list-style:none;padding:0;width:200px">
<li>Tea</li><li>Milk</li><li>Rice</li></ul>
<table><tr><td>Slow boat</td><td>9h 20m</td><td><button onclick="took('slow')">Book</button></td></tr>
<tr><td>Fast boat</td><td>4h 05m</td><td><button onclick="took('fast')">Book</button></td></tr></table>
<p id="log"></p><style>li {height: 30px; user-select: none; cursor: grab}</style>
<script>
const took = (which) => document.getElementById('log').textContent = `took the ${which} one`;
const list = document.getElementById('list');
let held = null;
list.addEventListener('mousedown', (event) => held = event.target.closest('li'));
document.addEventListener('mouseup', () => {
  held = null;
  document.getElementById('log').textContent = [...list.children].map((li) => li.textContent).join('-');
}, true);
document.addEventListener('mousemove', (event) => {
  if (!held) return;
  const others = [...list.children].filter((li) => li !== held);
  const box = (li) => li.getBoundingClientRect();
  const next = others.find((li) => event.clientY < box(li).top + box(li).height / 2);
  list.insertBefore(held, next || null);
});
</script>"""

#: Steps on a page, and the outcome of each.
CASES: dict[str, tuple[str, list[str], list[str]]] = {
    "an icon in a row": (
        "mail", ["Find the message from Jon Vik and click the archive icon",
                 "Assert that 'archived Jon Vik' is displayed"], ["done", "done", "true"]),
    "a message is forwarded": (
        "mail", ["Find the message from Ida Holm and forward it to Mo Ek",
                 "Assert that 'sent Seeds to Mo Ek' is displayed"], ["done", "true"]),
    "a message is answered": (
        "mail", ["Find the message from Mo Ek and reply to them with the text 'Two eggs'",
                 "Assert that 'sent Two eggs to sender' is displayed"], ["done", "done", "true"]),
    "nobody of that name": (
        "mail", ["Find the message from Una Berg and click the archive icon",
                 "Assert that 'archived' is displayed"],
        ["inconclusive", "not_reached", "not_reached"]),
    "a copied text": (
        "desk", ["Copy the text from the second text area and paste it into the text box, then press Send",
                 "Assert that 'got Elm and yew' is displayed"], ["done", "done", "done", "true"]),
    "an item of a list": (
        "desk", ["Drag 'Rice' to the first position",
                 "Assert that 'Rice-Tea-Milk' is displayed"], ["done", "true"]),
    "the shortest": (
        "desk", ["Book the boat with the shortest duration",
                 "Assert that 'took the fast one' is displayed"], ["done", "true"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def done(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """All cases in one run, in one browser."""
    site.pages |= {"mail": _MAIL, "desk": _DESK}
    tests = [
        {"name": name, "start": f"{site.url}/{page}", "steps": steps}
        for name, (page, steps, _) in CASES.items()
    ]
    return play(tmp_path_factory.mktemp("whole"), tests, site.url, concurrency=2)


@pytest.mark.parametrize("name", CASES)
def test_a_whole_sentence_is_carried_out(done: Done, name: str) -> None:
    told = [(one.outcome, one.step.text, one.reason) for one in done.record(name).steps]
    assert done.outcomes(name)[1:] == CASES[name][2], told  # the first step opens the page
