// Finding a chat widget: where one types, what sends, who speaks.
const ASKING = /messag|chat|\bask\b|\btype\b|\bwrite\b|reply|question|\bsay\b|talk|prompt|nachricht|frage|schreib|mensaje|escrib|pregunt|mensagem|pergunt|escrev|messagg|scriv|chied|domand|écri|posez/i;
const SENDING = /\b(send|submit|ask|go|senden|absenden|fragen|enviar|envoyer|invia|manda)\b|^[➤➔→↑⏎▶▷➢➣]$|paper-?plane|arrow-?up/i;
const LAUNCHING = /chat|messenger|assistant|\bbot\b|talk to us|live ?help|support/i;
const NOT_TEXT = ['password', 'email', 'tel', 'url', 'number', 'date', 'search'];
const wordsOf = (element) => ['placeholder', 'aria-label', 'aria-placeholder', 'title', 'name', 'id', 'class', 'data-testid', 'data-placeholder']
  .map((name) => attribute(element, name)).join(' ');
function* everyElement(root) {
  for (const child of children(root)) {
    if (!isElement(child) || SKIPPED.has(P.tag(child))) continue;
    yield child;
    yield* everyElement(child);
  }
}
const canBeUsed = (element) => isShown(element) && !isDisabled(element);
function composerScore(element) {
  if (!takesText(element) || element.readOnly || !canBeUsed(element)) return 0;
  const type = inputType(element), words = wordsOf(element);
  let score = ASKING.test(words) ? 6 : 0;
  if (NOT_TEXT.includes(type)) score -= 5;
  if (P.tag(element) === 'textarea' || isEditable(element)) score += 2;
  for (let at = parentOf(element), up = 0; isElement(at) && up < 8; at = parentOf(at), up++) {
    if (/chat|messag|conversation|composer|widget|assistant|\bbot\b/i.test(wordsOf(at))) { score += 3; break; }
  }
  return score + Math.max(0, P.rect(element).bottom / Math.max(1, view.innerHeight));
}
function composer() {
  let best = null, most = 1;
  for (const element of everyElement(D.top(page) || page)) {
    const score = composerScore(element);
    if (score > most) { most = score; best = element; }
  }
  if (!best) return null;
  const send = sender(best);
  return { input: idOf(best), send: send ? idOf(send) : 0, score: most };
}
// The button that sends what is in a field: beside it, called so, or made for it.
function sender(input) {
  for (let at = parentOf(input), up = 0; isElement(at) && up < 5; at = parentOf(at), up++) {
    const buttons = [...everyElement(at)].filter((one) => roleOf(one) === 'button' && isShown(one));
    const called = buttons.find((one) => SENDING.test(nameOf(one, 'button')) || SENDING.test(wordsOf(one)));
    if (called) return called;
    const made = buttons.find((one) => attribute(one, 'type') === 'submit');
    if (made) return made;
    if (P.tag(at) === 'form') break;
  }
  return null;
}
function launcher() {
  for (const element of everyElement(D.top(page) || page)) {
    const role = roleOf(element);
    if (!canBeUsed(element) || !(role === 'button' || clickable.has(element))) continue;
    if (LAUNCHING.test(nameOf(element, role)) || LAUNCHING.test(wordsOf(element))) return idOf(element);
  }
  return 0;
}
// Who said a piece of text, by what the elements around it are called.
const BOT = /(^|[\s_-])(bot|assistant|agent|ai|incoming|received|response|operator|server|system|llm|model|from-them|left)($|[\s_-])/i;
const USER = /(^|[\s_-])(user|human|outgoing|sent|me|self|visitor|client|customer|query|own|mine|right)($|[\s_-])/i;
const SAID_BY = ['class', 'data-role', 'data-author', 'data-sender', 'data-from', 'data-message-author-role', 'data-testid', 'data-type', 'aria-label', 'id'];
function side(number) {
  const node = nodeOf(number);
  for (let at = node && holderOf(node), up = 0; isElement(at) && up < 6; at = parentOf(at), up++) {
    const words = SAID_BY.map((name) => attribute(at, name).replace(/([a-z])([A-Z])/g, '$1-$2')).join(' ');
    const bot = BOT.test(words), user = USER.test(words);
    if (bot !== user) return bot ? 'bot' : 'user';
  }
  return '';
}
const LOGS = '[role=log],[aria-live],[class*=message i],[class*=conversation i],[class*=transcript i],[class*=history i],[class*=chat-body i],[class*=chatbot i]';
const isInLog = (number) => {
  const node = nodeOf(number);
  for (let at = node && holderOf(node), up = 0; isElement(at) && up < 12; at = parentOf(at), up++) {
    if (P.matches(at, LOGS)) return true;
  }
  return false;
};
// What belongs to the place where one types: the smallest element around field and button.
function isWithField(number, input) {
  const node = nodeOf(number), field = nodeOf(input);
  if (!node || !field) return false;
  const send = sender(field);
  let holder = parentOf(field);
  for (let up = 0; send && isElement(holder) && !within(send, holder) && up < 6; up++) holder = parentOf(holder);
  return isElement(holder) && holder !== D.body(page) && within(node, holder);
}
const pieces = ([list, input]) => list.map((number) => [number, side(number), isInLog(number), !!input && isWithField(number, input)]);
const TYPING = '[class*=typing i],[aria-label*=typing i],[class*="is-thinking" i],[class*=loading-dots i],[aria-busy=true]';
function isTyping(selector) {
  for (const element of everyElement(D.top(page) || page)) {
    if (P.matches(element, selector || TYPING) && isShown(element)) return true;
    if (!selector && roleOf(element) === 'button' && /^stop( generat(ing|ion))?$|^cancel (response|generation)$/i.test(nameOf(element, 'button')) && isShown(element)) return true;
  }
  return false;
}
// What elements of a kind say, as it can be seen.
function saying(selector) {
  const said = [];
  for (const element of everyElement(D.top(page) || page)) {
    if (P.matches(element, selector) && isShown(element)) said.push([idOf(element), cut((element.innerText || '').trim(), 100000)]);
  }
  return said;
}
