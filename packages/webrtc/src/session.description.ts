import { CallError } from './call.error.js';

/** Maximum size of an offer in characters, and of its sections of media: each costs memory. */
const MAX_OFFER = 64 * 1024;
const MAX_SECTIONS = 8;
/** Maximum size of a message of a client, in characters; clients are told. */
export const MESSAGE_LIMIT = 200 * 1024;

const invalid = (message: string) => new CallError('invalid_offer', message);

/**
 * An offer of a client, without its candidates: this side answers whoever reaches it, and sends nothing to addresses that
 * a client makes up. By Opus it also sends next to nothing in silence, if the client does not mind.
 *
 * @throws CallError `invalid_offer`
 */
export function checkedOffer(sdp: string): string {
  if (sdp.length > MAX_OFFER) throw invalid(`The SDP must have at most ${MAX_OFFER} characters.`);
  const lines = sdp.split(/\r?\n/).filter((line) => line !== '');
  if (lines[0] !== 'v=0' || !lines.every((line) => /^[a-z]=/.test(line)))
    throw invalid('The body must be an SDP offer.');
  const media = lines.filter((line) => line.startsWith('m='));
  if (media.length > MAX_SECTIONS) throw invalid(`The SDP must have at most ${MAX_SECTIONS} sections of media.`);
  const wanted = ['audio', 'application'].map((kind) => media.find((line) => line.startsWith(`m=${kind} `)));
  if (!wanted[0]) throw invalid('The SDP must offer audio.');
  if (!wanted[1]) throw invalid('The SDP must offer a data channel, oai-events.');
  const kept = lines.filter((line) => !/^a=(candidate|end-of-candidates|remote-candidates)\b/.test(line));
  // Other media are answered as if they had been withdrawn.
  const left = kept.map((line) => (wanted.includes(line) ? line : line.replace(/^(m=\S+) \S+/, '$1 0')));
  const opus = left.find((line) => /^a=rtpmap:\d+ opus\/48000\/2$/i.test(line))?.split(' ')[0];
  const isOpus = (line: string) => line.split(' ')[0] === opus?.replace('rtpmap', 'fmtp') && !line.includes('usedtx=');
  return left.map((line) => `${line}${isOpus(line) ? ';usedtx=1' : ''}\r\n`).join('');
}

/**
 * An answer with the candidates that clients can reach: by UDP, and if there is a public address, under this one, to which
 * the ports are forwarded.
 */
export function reachableAnswer(sdp: string, address?: string): string {
  const seen = new Set<string>();
  const lines = sdp.split('\r\n').flatMap((line) => {
    if (line.startsWith('a=max-message-size:')) return [`a=max-message-size:${MESSAGE_LIMIT}`];
    if (address !== undefined && line.startsWith('c='))
      return [line.includes('IP6') ? 'c=IN IP6 ::' : 'c=IN IP4 0.0.0.0'];
    if (!line.startsWith('a=candidate:')) return [line];
    const [foundation, component, transport, priority, ip, port, ...rest] = line.split(' ');
    if (transport?.toLowerCase() !== 'udp') return [];
    // The host's own addresses are no use to others then, and none of their business.
    if (address !== undefined && ip!.includes(':') !== address.includes(':')) return [];
    const shown = [foundation, component, transport, priority, address ?? ip, port, ...rest].join(' ');
    const where = `${component} ${address ?? ip} ${port}`;
    if (seen.has(where)) return [];
    seen.add(where);
    return [shown];
  });
  return lines.join('\r\n');
}
