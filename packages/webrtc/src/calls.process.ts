import type { Report, ToProcess } from './messages.js';
import { PeerCall } from './peer.call.js';
import { loadWrtc } from './wrtc.js';

/**
 * The program of the process in which calls are: native code, which reads what strangers send, has neither the service's
 * memory nor its secrets there, and cannot end it. It ends with the service, which at a Ctrl+C ends the calls.
 */
const calls = new Map<string, PeerCall>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

const wrtc = await loadWrtc();

process.on('message', (message: ToProcess) => {
  const { call } = message;
  const tell = (report: Report) => {
    if ('closed' in report) calls.delete(call);
    process.send?.({ call, ...report }, undefined, undefined, () => undefined);
  };
  const peer = calls.get(call);
  try {
    if ('offer' in message) {
      const fresh = new PeerCall(wrtc, message.options, tell);
      calls.set(call, fresh);
      void fresh.answer(message.offer);
    } else if ('ping' in message) tell({ pong: true });
    else if ('event' in message) peer?.send(message.event);
    else if (message.end === 'gently') void peer?.end();
    else peer?.close();
  } catch {
    // Native code refuses: one call ends, and not all.
    tell({ closed: true });
  }
});
