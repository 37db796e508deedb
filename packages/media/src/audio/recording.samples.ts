import './recording.codecs.js';
import { ALL_FORMATS, type AudioSample, AudioSampleSink, BufferSource, Input } from 'mediabunny';

/** A chunk of a recording as mono samples. */
export interface Samples {
  readonly samples: Float32Array;
  readonly sampleRate: number;
}

/**
 * Decodes a recording chunk by chunk and mixes it to mono: WebM, Matroska, Ogg and MP4 with Opus, MP4 and ADTS with
 * AAC, MP3, WAV. Yields nothing if it has no audio, or is in another format.
 *
 * @throws if it is damaged
 */
export async function* samplesOf(recording: Uint8Array): AsyncGenerator<Samples, void> {
  const input = new Input({ source: new BufferSource(recording), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track || !(await track.canDecode())) return;
    for await (const sample of new AudioSampleSink(track).samples()) {
      try {
        yield { samples: mono(sample), sampleRate: sample.sampleRate };
      } finally {
        sample.close();
      }
    }
  } finally {
    input.dispose();
  }
}

function mono(sample: AudioSample): Float32Array {
  const mixed = new Float32Array(sample.numberOfFrames);
  const plane = new Float32Array(sample.numberOfFrames);
  for (let planeIndex = 0; planeIndex < sample.numberOfChannels; planeIndex++) {
    sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
    for (let at = 0; at < mixed.length; at++) mixed[at]! += plane[at]! / sample.numberOfChannels;
  }
  return mixed;
}
