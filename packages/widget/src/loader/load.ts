import { type CreateWidget, sharedState } from './contract.js';

/** The current script, if it runs as a classic script. */
const SCRIPT = document.currentScript instanceof HTMLScriptElement ? document.currentScript : undefined;

sharedState().src ??= SCRIPT?.src ?? location.href;

let loading: Promise<CreateWidget> | undefined;

/**
 * Loads the rest of the widget from the loader's directory. Uses a classic script, which needs no CORS. If the page's
 * Trusted Types policy rejects our script URLs, uses a module, which does need it.
 *
 * @throws Error if it cannot be loaded; the next call tries again
 */
export function loadWidget(): Promise<CreateWidget> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<CreateWidget> {
  const url = new URL('widget.app.js', sharedState().src).href;
  const allowed = trusted(url);
  if (allowed === undefined) await import(url);
  else await runScript(allowed);
  const { create } = sharedState();
  if (!create) throw new Error(`${url} is not the widget`);
  return create;
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

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** The script URL, or undefined if the page's policy rejects it. */
function trusted(url: string): string | undefined {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  try {
    return trustedTypes.createPolicy('avatar-chat', { createScriptURL: () => url }).createScriptURL(url);
  } catch {
    return undefined;
  }
}
