import { sharedState } from '../loader/contract.js';

/** The URL of the loader. The other scripts are in the same directory. */
const SCRIPT = sharedState().src ?? location.href;

/** Where the script came from: the service, with its prefix, if any. The attribute `service` overrides it. */
export const SERVICE = new URL('.', SCRIPT).href;

/** The `AudioWorklet` script of live conversations. A separate file, because a strict policy allows nothing else. */
export const WORKLET = new URL('widget.worklet.js', SCRIPT).href;
