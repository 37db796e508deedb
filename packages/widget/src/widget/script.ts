import { meeting } from '../loader/contract.js';

/** The address of the loader, which the other scripts stand beside. */
const SCRIPT = meeting().src ?? location.href;

/** Where the script came from: the service, under its prefix if it has one, unless the attribute `service` says otherwise. */
export const SERVICE = new URL('.', SCRIPT).href;

/** What a live conversation runs in an `AudioWorklet`: a script of its own, since a strict policy lets no other in. */
export const WORKLET = new URL('widget.worklet.js', SCRIPT).href;
