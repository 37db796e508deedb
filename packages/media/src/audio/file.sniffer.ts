import { mp3Frame, tagLength } from './mp3.frames.js';

/** Bytes that {@link mediaType} needs. */
export const HEAD_LENGTH = 4096;

const MP4_BRANDS = /^(isom|iso[2-9]|mp4[12]|avc1|dash|M4V |MSNV|3gp\w|3g2\w|qt {2})$/;

/**
 * Detects the media type of a recording from its first bytes; undefined if browsers neither record nor play it.
 *
 * @param head its first {@link HEAD_LENGTH} bytes, or all if it is shorter
 */
export function mediaType(head: Buffer): string | undefined {
  const text = head.toString('latin1');
  if (/^RIFF[^]{4}WAVE[\x20-\x7e]{4}/.test(text)) return 'audio/wav';
  if (text.startsWith('fLaC')) return 'audio/flac';
  if (text.startsWith('OggS\0')) return oggType(text);
  if (text.startsWith('\x1a\x45\xdf\xa3')) return matroskaType(text);
  if (text.startsWith('ftyp', 4)) return mp4Type(text);
  if (isFrames(head, mp3FrameLength) || isTagged(head)) return 'audio/mpeg';
  if (isFrames(head, aacFrameLength)) return 'audio/aac';
  return undefined;
}

function oggType(text: string): string | undefined {
  if (/\x80theora/.test(text)) return 'video/ogg';
  return /OpusHead|\x01vorbis|\x7fFLAC|Speex {3}/.test(text) ? 'audio/ogg' : undefined;
}

/** Live recordings declare their codecs at the beginning, with the tracks, before the first cluster; others may be video. */
function matroskaType(text: string): string | undefined {
  const [format] = /webm|matroska/.exec(text.slice(0, 64)) ?? [];
  const [declared = ''] = text.split('\x1f\x43\xb6\x75', 1);
  return format && `${!declared.includes('V_') && declared.includes('A_') ? 'audio' : 'video'}/${format}`;
}

function mp4Type(text: string): string | undefined {
  const brand = text.slice(8, 12);
  if (/^M4[AB] $/.test(brand)) return 'audio/mp4';
  if (!MP4_BRANDS.test(brand)) return undefined;
  return text.includes('soun') && !text.includes('vide') ? 'audio/mp4' : 'video/mp4';
}

/** Two sync bytes prove nothing: if the head includes the next frame, that must be valid too. */
function isFrames(head: Buffer, frameLength: (head: Buffer, at: number) => number): boolean {
  const length = frameLength(head, 0);
  return length > 0 && (length + 4 > head.length || frameLength(head, length) > 0);
}

/** An ID3 tag, followed by a frame if the head is long enough. */
function isTagged(head: Buffer): boolean {
  const end = tagLength(head);
  if (end === 0 || head.length < 14 || head.subarray(6, 10).some((byte) => byte > 0x7f)) return false;
  return end + 4 > head.length || isFrames(head.subarray(end), mp3FrameLength);
}

function mp3FrameLength(head: Buffer, at: number): number {
  return mp3Frame(head, at)?.length ?? 0;
}

/** Length of an ADTS frame. */
function aacFrameLength(head: Buffer, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = head.subarray(at, at + 6);
  const length = ((d & 3) << 11) | (e << 3) | (f >> 5);
  return a === 0xff && (b & 0xf6) === 0xf0 && ((c >> 2) & 15) < 13 && length > 7 ? length : 0;
}
