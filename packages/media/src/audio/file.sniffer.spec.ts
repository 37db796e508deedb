import { HEAD_LENGTH, mediaType } from './file.sniffer.js';

const of = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const padded = (head: Buffer, length = HEAD_LENGTH) => Buffer.concat([head, Buffer.alloc(length)]).subarray(0, length);

// 48 kbit/s at 22,050 Hz: 156 bytes per frame.
const mp3 = [0xff, 0xf3, 0x60, 0xc4];
const mp3Frames = Buffer.concat([padded(of(mp3), 156), padded(of(mp3), 156)]);
// 16 bytes per frame.
const aac = [0xff, 0xf1, 0x50, 0x80, 0x02, 0x1f, 0xfc];
const ebml = (type: string, ...rest: string[]) =>
  of([0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, type.length + 0x80], type, ...rest);

describe('mediaType', () => {
  it.each<[string, Buffer]>([
    ['audio/wav', padded(of('RIFF', [36, 0, 0, 0], 'WAVEfmt '))],
    ['audio/wav', padded(of('RIFF', [255, 255, 255, 255], 'WAVEJUNK'))],
    ['audio/flac', padded(of('fLaC'))],
    ['audio/mpeg', mp3Frames],
    ['audio/mpeg', mp3Frames.subarray(0, 100)],
    ['audio/mpeg', Buffer.concat([of('ID3', [4, 0, 0, 0, 0, 0, 4], 'TIT2'), mp3Frames])],
    ['audio/mpeg', padded(of('ID3', [3, 0, 0, 0, 4, 0, 0], 'APIC'))],
    ['audio/aac', Buffer.concat([padded(of(aac), 16), padded(of(aac), 16)])],
    ['audio/ogg', padded(of('OggS', Array(24).fill(0), 'OpusHead'))],
    ['audio/ogg', padded(of('OggS', Array(24).fill(0), '\x01vorbis'))],
    ['video/ogg', padded(of('OggS', Array(24).fill(0), '\x80theora', 'OggS', '\x01vorbis'))],
    ['audio/webm', padded(ebml('webm', 'A_OPUS'))],
    ['audio/webm', padded(ebml('webm', 'A_OPUS', '\x1f\x43\xb6\x75', 'sound with V_ in it'))],
    ['video/webm', padded(ebml('webm', 'A_OPUS', 'V_VP8'))],
    ['video/matroska', padded(ebml('matroska', 'V_MPEG4/ISO/AVC'))],
    ['video/webm', padded(ebml('webm'))],
    ['audio/mp4', padded(of([0, 0, 0, 28], 'ftypM4A ', [0, 0, 0, 0]))],
    ['audio/mp4', padded(of([0, 0, 0, 28], 'ftypiso5', [0, 0, 0, 0], 'moov', 'hdlr', 'soun'))],
    ['video/mp4', padded(of([0, 0, 0, 28], 'ftypisom', [0, 0, 0, 0], 'hdlr', 'soun', 'hdlr', 'vide'))],
    ['video/mp4', padded(of([0, 0, 0, 28], 'ftypmp42', [0, 0, 0, 0]))],
  ])('knows %s', (type, head) => {
    expect(mediaType(head)).toBe(type);
  });

  it.each<[string, Buffer]>([
    ['nothing', of()],
    ['text', of('hello, this is a song')],
    ['HTML', of('<!doctype html><script>alert(1)</script>')],
    ['a RIFF that is a picture', padded(of('RIFF', [36, 0, 0, 0], 'WEBPVP8 '))],
    ['a WAV truncated within its header', of('RIFF', [36, 0, 0, 0], 'WAVE')],
    ['a WAV whose first chunk has no name', padded(of('RIFF', [36, 0, 0, 0], 'WAVE'))],
    ['a picture in an MP4 box', padded(of([0, 0, 0, 28], 'ftypavif'))],
    ['an Ogg with an unknown codec', padded(of('OggS', Array(24).fill(0), 'fishead'))],
    ['an EBML of another kind', padded(ebml('other'))],
    ['two bytes of sync and no second frame', padded(of(mp3))],
    ['an ID3 tag before something else', padded(of('ID3', [4, 0, 0, 0, 0, 0, 4], 'TIT2', '<html>'))],
    ['a JPEG', padded(of([0xff, 0xd8, 0xff, 0xe0], '....JFIF'))],
    ['UTF-16', of([0xff, 0xfe, 0x3c, 0x00])],
    ['a ZIP', padded(of('PK\x03\x04'))],
    ['zeros', padded(of())],
  ])('refuses %s', (_name, head) => {
    expect(mediaType(head)).toBeUndefined();
  });
});
