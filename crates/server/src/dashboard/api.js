// Calls of the server's own API, by the cookie of the login.

/** A failed call, with what the server says about the next step. */
export class Failed extends Error {
  constructor(status, error) {
    super(error.hint ? `${error.message}: ${error.hint}` : error.message);
    this.status = status;
    this.code = error.code;
  }
}

async function answered(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Failed(0, { message: 'the server does not answer', hint: 'is `szk serve` still running?' });
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: { message: response.statusText } }));
  throw new Failed(response.status, error);
}

export async function get(path) {
  return (await answered(path, { headers: { accept: 'application/json' } })).json();
}

/** Changes something. The header shows that this page asks, and no form of another one. */
export async function send(method, path, body = {}) {
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'szk-dashboard': '1' };
  return (await answered(path, { method, headers, body: JSON.stringify(body) })).json();
}

export const session = (name) => `/v1/sessions/${encodeURIComponent(name)}`;

/** A picture of a tab, as an address for an image. */
export async function picture(name, tab) {
  const query = new URLSearchParams({ tab, format: 'jpeg', quality: '60' });
  const response = await answered(`${session(name)}/screenshot?${query}`, { headers: { accept: 'image/jpeg' } });
  return URL.createObjectURL(await response.blob());
}
