import { CallError } from './call.error.js';
import { checkedOffer, reachableAnswer } from './session.description.js';

const OFFER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'a=candidate:1 1 udp 2122260223 10.0.0.1 40000 typ host',
  'a=end-of-candidates',
  'a=rtpmap:111 opus/48000/2',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
];
const text = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n`;

describe('an offer', () => {
  it('loses the addresses to which its sender would have packets sent', () => {
    const kept = OFFER.filter((line) => !/candidate/.test(line));
    expect(checkedOffer(text(OFFER))).toBe(text(kept));
    expect(checkedOffer(OFFER.join('\n'))).toBe(text(kept));
  });

  it('has silence cost nothing, by Opus, unless its sender said otherwise', () => {
    const answered = (parameters: string) =>
      checkedOffer(text([...OFFER, 'a=fmtp:63 111/111', `a=fmtp:111 ${parameters}`]))
        .split('\r\n')
        .slice(-3, -1);
    expect(answered('minptime=10')).toEqual(['a=fmtp:63 111/111', 'a=fmtp:111 minptime=10;usedtx=1']);
    expect(answered('usedtx=0;minptime=10')).toEqual(['a=fmtp:63 111/111', 'a=fmtp:111 usedtx=0;minptime=10']);
  });

  it.each([
    ['nothing', '', 'be an SDP offer'],
    ['JSON', '{"sdp":"v=0"}', 'be an SDP offer'],
    ['noise after a good beginning', text([...OFFER, '\u0000\u0001']), 'be an SDP offer'],
    ['64 KiB and more', text([...OFFER, `a=${'x'.repeat(65_536)}`]), 'at most 65536 characters'],
    ['no audio', text(OFFER.filter((line) => !line.startsWith('m=audio'))), 'offer audio'],
    ['no data channel', text(OFFER.slice(0, -1)), 'offer a data channel'],
    ['a hundred sections', text([...OFFER, ...Array<string>(100).fill('m=video 9 UDP/TLS/RTP/SAVPF 96')]), 'at most 8'],
  ])('is refused if it is or has %s', (_, sdp, reason) => {
    expect(() => checkedOffer(sdp)).toThrow(reason);
    expect(() => checkedOffer(sdp)).toThrow(CallError);
  });
});

describe('an answer', () => {
  const of = (...candidates: string[]) => text(['v=0', ...candidates.map((one) => `a=candidate:${one}`), 'a=mid:0']);
  const answer = of(
    '1 1 udp 2122260223 10.0.0.1 50000 typ host generation 0',
    '2 1 udp 2122194687 10.0.0.1 50000 typ host generation 0',
    '3 1 tcp 1518280447 10.0.0.1 9 typ host tcptype active',
    '4 1 udp 2122131711 fd00::2 50001 typ host generation 0',
  );

  it('has the addresses of this machine that are reached by UDP, each once', () => {
    expect(reachableAnswer(answer)).toBe(
      of(
        '1 1 udp 2122260223 10.0.0.1 50000 typ host generation 0',
        '4 1 udp 2122131711 fd00::2 50001 typ host generation 0',
      ),
    );
  });

  it('names no address of this machine if there is a public one', () => {
    const lines = ['v=0', 'c=IN IP4 10.0.0.1', 'm=audio 9', 'c=IN IP6 fd00::2'];
    expect(reachableAnswer(text(lines))).toBe(text(lines));
    expect(reachableAnswer(text(lines), '203.0.113.7')).not.toMatch(/10\.0\.0\.1|fd00/);
  });

  it('has the public address instead of those of its family, and no others', () => {
    expect(reachableAnswer(answer, '203.0.113.7')).toBe(
      of('1 1 udp 2122260223 203.0.113.7 50000 typ host generation 0'),
    );
    expect(reachableAnswer(answer, '2001:db8::7')).toBe(
      of('4 1 udp 2122131711 2001:db8::7 50001 typ host generation 0'),
    );
  });
});
