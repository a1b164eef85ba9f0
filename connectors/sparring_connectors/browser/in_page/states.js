// Values and states.
const flag = (element, name) => {
  const value = attribute(element, name).toLowerCase();
  return value === 'true' ? true : value === 'false' ? false : value === 'mixed' ? 'mixed' : null;
};
const chosen = (select) => [...select.selectedOptions].map((option) => squeezed(option.label));
function valueOf(element, role) {
  const tag = P.tag(element);
  if (tag === 'select') return chosen(element).join(', ');
  if (tag === 'textarea') return element.value;
  if (tag === 'input') {
    if (element.type === 'file') return [...element.files].map((file) => file.name).join(', ');
    if (['checkbox', 'radio', 'submit', 'reset', 'button', 'image', 'hidden'].includes(element.type)) return null;
    return element.value;
  }
  if (tag === 'progress' || tag === 'meter') return String(element.value);
  if (isEditable(element)) return squeezed(element.innerText || P.content(element) || '');
  if (['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar', 'separator'].includes(role)) {
    return P.attribute(element, 'aria-valuetext') || P.attribute(element, 'aria-valuenow');
  }
  if (['textbox', 'searchbox'].includes(role)) return squeezed(P.content(element) || '');
  return null;
}
const isEditable = (element) => {
  const value = P.attribute(element, 'contenteditable');
  return value !== null && value.toLowerCase() !== 'false';
};
const NOT_TYPED = ['checkbox', 'radio', 'submit', 'reset', 'button', 'image', 'file', 'hidden', 'range', 'color'];
function takesText(element) {
  const tag = P.tag(element);
  if (tag === 'textarea') return true;
  if (tag === 'input') return !NOT_TYPED.includes(element.type);
  return isEditable(element);
}
function isDisabled(element) {
  if (P.matches(element, ':disabled') || P.closest(element, '[inert]')) return true;
  for (let at = element; isElement(at); at = parentOf(at)) {
    const value = flag(at, 'aria-disabled');
    if (value !== null) return value === true;
  }
  return false;
}
function checkedOf(element, role) {
  if (['checkbox', 'radio'].includes(inputType(element))) {
    return element.indeterminate ? 'mixed' : element.checked;
  }
  if (!['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem'].includes(role)) return null;
  const value = flag(element, 'aria-checked');
  return value === null && !['option', 'treeitem'].includes(role) ? false : value;
}
function selectedOf(element, role) {
  if (P.tag(element) === 'option') return element.selected;
  const value = flag(element, 'aria-selected');
  if (value === 'mixed') return null;
  return value === null && ['tab', 'option'].includes(role) ? false : value;
}
function expandedOf(element) {
  const tag = P.tag(element);
  if (tag === 'details') return element.open;
  const parent = tag === 'summary' ? parentOf(element) : null;
  if (isElement(parent) && P.tag(parent) === 'details') return parent.open;
  const value = flag(element, 'aria-expanded');
  return value === 'mixed' ? null : value;
}
function statesOf(element, role) {
  const tag = P.tag(element);
  const field = ['input', 'select', 'textarea'].includes(tag);
  const text = takesText(element) || ['textbox', 'searchbox', 'spinbutton'].includes(role);
  const readonly = text ? !!element.readOnly || flag(element, 'aria-readonly') === true : null;
  const disabled = isDisabled(element);
  return {
    disabled, readonly,
    editable: text && !disabled && !readonly,
    required: field ? !!element.required || flag(element, 'aria-required') === true : flag(element, 'aria-required'),
    invalid: field || P.has(element, 'aria-invalid') ? isInvalid(element, field) : null,
    multiple: tag === 'select' ? element.multiple : flag(element, 'aria-multiselectable'),
    checked: checkedOf(element, role),
    selected: selectedOf(element, role),
    pressed: flag(element, 'aria-pressed'),
    expanded: expandedOf(element),
  };
}
function isInvalid(element, field) {
  const told = attribute(element, 'aria-invalid').toLowerCase();
  if (told) return told !== 'false';
  try { return field && P.matches(element, ':user-invalid'); } catch { return false; }
}
function focusedNow() {
  let at = D.active(page);
  for (let root = at && shadowOf(at); root && D.activeInside(root); root = shadowOf(at)) {
    at = D.activeInside(root);
  }
  return at === D.body(page) || at === D.top(page) ? null : at;
}
