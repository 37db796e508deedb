import { type CreateWidget, sharedState } from './contract.js';

/** The current script, if it runs as a classic script. */
const SCRIPT = document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined;

sharedState().src ??= SCRIPT?.src || undefined;

const loading = new Map<string, Promise<void>>();

/**
 * The directory of the widget's scripts: the service's, or else that of this script.
 *
 * @param service an attribute's value
 * @throws Error if neither is known, as in a module or a bundle
 */
export function scriptDirectory(service: string | null): string {
  const { src } = sharedState();
  if (service !== null) return new URL(service.replace(/\/?$/, '/'), location.href).href;
  if (src === undefined) throw new Error('Set the attribute service to the URL of the chat service.');
  return new URL('.', src).href;
}

/**
 * Loads the rest of the widget.
 *
 * @throws Error if it cannot be loaded; the next call tries again
 */
export async function loadWidget(directory: string): Promise<CreateWidget> {
  const { create } = sharedState();
  if (create) return create;
  const url = `${directory}widget.app.js`;
  await loadScript(url);
  const made = sharedState().create;
  if (!made) throw new Error(`${url} is not the widget`);
  return made;
}

/**
 * Loads a script once. Uses a classic script, which needs no CORS. If the page's Trusted Types policy rejects our
 * script URLs, uses a module, which does need it.
 */
export function loadScript(url: string): Promise<void> {
  let script = loading.get(url);
  if (!script) {
    const allowed = trusted(url);
    script = allowed === undefined ? import(url) : runScript(allowed);
    loading.set(url, script);
    script.catch(() => loading.delete(url));
  }
  return script;
}

function runScript(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    if (SCRIPT?.nonce) script.nonce = SCRIPT.nonce;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${url} cannot be loaded`)));
    script.src = url;
    document.head.append(script);
    script.remove();
  });
}

interface Policy {
  createScriptURL(url: string): string;
}
/** `null` if the page does not allow it. */
let policy: Policy | null | undefined;

/** The script URL, or undefined if the page's policy rejects it. */
function trusted(url: string): string | undefined {
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  if (!trustedTypes) return url;
  try {
    // A page may allow each name only once.
    if (policy === undefined) policy = trustedTypes.createPolicy('avatar-chat', { createScriptURL: (url) => url });
  } catch {
    policy = null;
  }
  return policy?.createScriptURL(url);
}
