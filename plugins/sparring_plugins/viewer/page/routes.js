// Where one is stands behind the `#`: #/run/NAME/case/ID?outcome=fail

export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  return {
    parts: path.split("/").filter(Boolean).map((part) => { try { return decodeURIComponent(part); } catch { return part; } }),
    query: Object.fromEntries(new URLSearchParams(query ?? "")),
  };
}

export function link(parts, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value);
  const text = new URLSearchParams(kept).toString();
  return "#/" + parts.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
}
