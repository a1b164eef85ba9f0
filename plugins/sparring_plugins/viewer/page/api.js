// Asking the server. Every answer is JSON; an error says what was wrong.

async function answered(response) {
  const data = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (!response.ok) throw new Error(data.error || `status ${response.status}`);
  return data;
}

/** A path of encoded parts, and a query without what is empty. */
export function address(parts, query = {}) {
  const kept = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const text = new URLSearchParams(kept).toString();
  return "/api/" + parts.map(encodeURIComponent).join("/") + (text ? `?${text}` : "");
}

export const get = async (parts, query, signal) =>
  answered(await fetch(address(parts, query), { signal }));

export const post = async (parts, data) =>
  answered(await fetch(address(parts), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data),
  }));
