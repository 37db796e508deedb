/** A live mode client with a microphone that never stops, as in a browser. Records the time of each event. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

export const RATE = 24_000;
/** The length of an audio chunk, in milliseconds. */
const PIECE_MS = 20;
const PIECE = (RATE * PIECE_MS) / 1000;
/** 16-bit amplitude: the noise of a quiet room. */
const ROOM = 12;

/**
 * @typedef {object} LiveEvent a received event with its time; audio is replaced by its length
 * @property {number} at milliseconds of `performance.now()`
 * @property {string} type
 * @property {number} [ms] of sound
 * @property {string} [event_id]
 * @property {string} [item_id]
 * @property {string} [previous_item_id]
 * @property {string} [response_id]
 * @property {string} [transcript]
 * @property {string} [delta]
 * @property {string} [text]
 * @property {number} [audio_offset_ms]
 * @property {number} [audio_duration_ms]
 * @property {number} [audio_end_ms]
 * @property {number} [viseme_id]
 * @property {any} [item]
 * @property {any} [response]
 * @property {any} [session]
 * @property {any} [error]
 *
 * @typedef {{ first: number, last: number }} Said when the first and the last audio of an utterance were sent
 */

export class LiveClient {
  /** @type {LiveEvent[]} */
  events = [];
  /** Utterances without a transcript, which is not a fault of the session. */
  unheard = 0;
  /** What was not as it should be. @type {string[]} */
  faults = [];
  /** @type {{ samples: Int16Array, at: number, first: number, done: (said: Said) => void }[]} */
  #queue = [];
  /** @type {Set<() => void>} */
  #watchers = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #microphone;
  /** What the loudspeaker still has to play, and what the microphone will hear of it. @type {{ sound: number[], path: number[], gain: number } | undefined} */
  #loudspeaker;

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on('error', () => undefined);
    /** @type {Promise<number>} */
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /**
   * @param {string} url such as `ws://127.0.0.1:3000/v1/realtime?model=ada`
   * @param {string} token
   * @returns {Promise<LiveClient>}
   */
  static open(url, token) {
    const socket = new WebSocket(url, ['realtime'], { headers: { authorization: `Bearer ${token}` } });
    const client = new LiveClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('unexpected-response', (_, response) =>
        reject(Object.assign(new Error(`The upgrade was answered with ${response.statusCode}`), { response })),
      );
      socket.once('error', reject);
    });
  }

  /** @param {string} type @param {object} [fields] @returns {string} its `event_id` */
  send(type, fields = {}) {
    const event_id = randomUUID();
    this.socket.send(JSON.stringify({ type, event_id, ...fields }));
    return event_id;
  }

  /** Starts to send the microphone's audio: background noise and utterances. */
  listen() {
    const began = performance.now();
    let sent = 0;
    this.#microphone = setInterval(() => {
      // Timers are late on a busy machine; a microphone is not.
      for (; began + (sent + 1) * PIECE_MS <= performance.now(); sent++) this.#sendPiece();
    }, PIECE_MS / 2);
  }

  /** From now on the microphone hears the avatar from a loudspeaker, without echo cancellation. @param {number} decibels @param {number} delayMs */
  playAloud(decibels, delayMs) {
    const path = Array.from({ length: (RATE * delayMs) / 1000 }, () => 0);
    this.#loudspeaker = { sound: [], path, gain: 10 ** (decibels / 20) };
  }

  /** What the loudspeaker has not played yet is never heard. */
  #hush() {
    if (this.#loudspeaker) this.#loudspeaker.sound = [];
  }

  /** The next sample of the avatar's voice at the microphone. */
  #echo() {
    if (!this.#loudspeaker) return 0;
    const { sound, path, gain } = this.#loudspeaker;
    path.push(gain * (sound.shift() ?? 0));
    return path.shift() ?? 0;
  }

  #sendPiece() {
    const piece = Int16Array.from({ length: PIECE }, () => (Math.random() * 2 - 1) * ROOM + this.#echo());
    const speaking = this.#queue[0];
    if (speaking) {
      const part = speaking.samples.subarray(speaking.at, speaking.at + PIECE);
      part.forEach((sample, at) => (piece[at] = Math.max(-32_768, Math.min(32_767, piece[at] + sample))));
      speaking.at += PIECE;
    }
    this.send('input_audio_buffer.append', { audio: Buffer.from(piece.buffer).toString('base64') });
    if (!speaking) return;
    const now = performance.now();
    speaking.first ||= now;
    if (speaking.at < speaking.samples.length) return;
    this.#queue.shift();
    speaking.done({ first: speaking.first, last: now });
  }

  /** Speaks into the microphone. @param {Int16Array} samples @returns {Promise<Said>} */
  say(samples) {
    return new Promise((done) => this.#queue.push({ samples, at: 0, first: 0, done }));
  }

  /**
   * Resolves to the first matching event since a time.
   *
   * @param {string | ((event: LiveEvent) => boolean)} wanted its type, or a predicate
   * @param {number} [since] milliseconds of `performance.now()`
   * @returns {Promise<LiveEvent>}
   */
  until(wanted, since = 0, limitMs = 30_000) {
    const test = typeof wanted === 'string' ? (/** @type {LiveEvent} */ { type }) => type === wanted : wanted;
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.events.find((event) => event.at >= since && test(event));
        if (found) settle(() => resolve(found));
        else if (this.socket.readyState > WebSocket.OPEN)
          settle(() => reject(new Error(`The session ended before ${wanted}`)));
      };
      const settle = (/** @type {() => void} */ how) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        how();
      };
      const timer = setTimeout(
        () =>
          settle(() => {
            const last = this.events.slice(-8).map(({ type }) => type);
            reject(new Error(`${wanted} did not come within ${limitMs / 1000} s after ${last.join(', ')}`));
          }),
        limitMs,
      );
      this.#watchers.add(look);
      look();
    });
  }

  /** The events of a response, or of an item. @param {string | undefined} id */
  of(id) {
    return this.events.filter(
      ({ response_id, item_id, response, item }) => id && [response_id, item_id, response?.id, item?.id].includes(id),
    );
  }

  /** When the audio received for a response has been played, in milliseconds of `performance.now()`. @param {string} id */
  playedAt(id) {
    let until = 0;
    for (const { type, at, ms = 0 } of this.of(id))
      if (type === 'response.output_audio.delta') until = Math.max(until, at) + ms;
    return until;
  }

  async close() {
    clearInterval(this.#microphone);
    this.socket.close(1000);
    const killing = setTimeout(() => this.socket.terminate(), 5000);
    await this.closed;
    clearTimeout(killing);
  }

  /** @param {string} text @param {boolean} isBinary */
  #receive(text, isBinary) {
    const at = performance.now();
    if (isBinary) this.faults.push('a binary message came');
    else {
      const event = JSON.parse(text);
      if (event.type === 'response.output_audio.delta') {
        const bytes = Buffer.from(event.delta, 'base64');
        event.ms = (bytes.length / 2 / RATE) * 1000;
        for (let at = 0; this.#loudspeaker && at < bytes.length; at += 2)
          this.#loudspeaker.sound.push(bytes.readInt16LE(at));
        delete event.delta;
      }
      if (event.type === 'input_audio_buffer.speech_started') this.#hush();
      if (event.type === 'error') this.faults.push(`error ${event.error?.code}: ${event.error?.message}`);
      this.events.push({ ...event, at });
    }
    for (const look of this.#watchers) look();
  }
}
