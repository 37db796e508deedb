/** The ten turns with an unmodified `@openai/agents-realtime` in Node, compared with `GET /chat`. */
import { setTimeout as delay } from 'node:timers/promises';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import { ask, tokenOf } from '../harness.mjs';
import { RATE } from './client.mjs';
import { reportStages, stagesOf } from './stages.mjs';
import { compare, recorded } from './timeline.mjs';

const PIECE_MS = 20;
const PIECE = (RATE * PIECE_MS) / 1000;

/**
 * @param {import('../harness.mjs').Report} report
 * @param {{ port: number }} service
 * @param {import('./utterances.mjs').Utterance[]} utterances
 */
export async function talkByAgents(report, { port }, utterances) {
  const samples = recorded(utterances);
  const user_id = 'agents';
  const token = await tokenOf(port, user_id);
  const url = `ws://127.0.0.1:${port}/v1/realtime?model=ada&language_code=en`;
  const transport = new OpenAIRealtimeWebSocket({ url });
  const session = new RealtimeSession(new RealtimeAgent({ name: 'Ada' }), { transport, model: 'ada' });
  /** @type {unknown[]} */
  const faults = [];
  session.on('error', (error) => faults.push(error));
  /** @type {import('./client.mjs').LiveEvent[]} */
  const events = [];
  transport.on('*', (event) => events.push({ .../** @type {any} */ (event), at: performance.now() }));
  /** @type {[until: number, at: number][]} */
  const sent = [];
  let interruptions = 0;
  session.on('audio_interrupted', () => interruptions++);
  try {
    await session.connect({ apiKey: token });
    const began = performance.now();
    for (let at = 0; at < samples.length; at += PIECE) {
      const piece = samples.slice(at, at + PIECE);
      session.sendAudio(piece.buffer);
      sent.push([((at + PIECE) / RATE) * 1000, performance.now()]);
      const ahead = ((at + PIECE) / RATE) * 1000 - (performance.now() - began);
      if (ahead > 0) await delay(ahead);
    }
    await delay(1000);
    const { body } = await ask(port, `/chat?user_id=${user_id}&per_page=100`, { token });
    const words = (/** @type {string} */ role) =>
      session.history.flatMap((item) => {
        if (item.type !== 'message' || item.role !== role) return [];
        const [part] = /** @type {{ text?: string, transcript?: string | null }[]} */ (item.content);
        return part?.transcript || part?.text || [];
      });
    const shown = { said: words('user'), answered: words('assistant') };
    compare(report, 'By @openai/agents-realtime', utterances, body.payload.toReversed(), shown);
    report.row('By @openai/agents-realtime: interruptions', '≥ 1', String(interruptions), interruptions >= 1);
    reportStages(report, 'By @openai/agents-realtime', stagesOf(events, sent));
    for (const fault of faults) console.log(`  fault: ${JSON.stringify(fault)}`);
    report.row('By @openai/agents-realtime: errors', '0', String(faults.length), faults.length === 0);
  } finally {
    session.close();
  }
}
