/** The worklet promise of each audio context. */
const loaded = new WeakMap<AudioContext, Promise<void>>();

/** Loads the package's `worklet.js` once per context. */
export async function loadWorklet(context: AudioContext, worklet: string): Promise<void> {
  const loading = loaded.get(context) ?? context.audioWorklet.addModule(worklet);
  loaded.set(context, loading);
  loading.catch(() => loaded.delete(context));
  await loading;
}

/** Constraints for `getUserMedia`: echo cancellation for everything that the browser plays, if supported. */
export const LIVE_MICROPHONE = {
  // Browsers that only know booleans treat this as `true`.
  echoCancellation: 'all' as unknown as boolean,
  noiseSuppression: true,
  autoGainControl: true,
} satisfies MediaTrackConstraints;

/** Delivers a stream's audio in chunks of 40 ms, for {@link LiveSession.append}. @returns a function that stops it, but not the stream */
export async function capture(
  context: AudioContext,
  worklet: string,
  stream: MediaStream,
  heard: (samples: Int16Array) => void,
): Promise<() => void> {
  await loadWorklet(context, worklet);
  const source = context.createMediaStreamSource(stream);
  const node = new AudioWorkletNode(context, 'live-capture', {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: 'explicit',
  });
  node.port.addEventListener('message', ({ data }: MessageEvent<Int16Array>) => heard(data));
  node.port.start();
  source.connect(node);
  return () => {
    source.disconnect();
    node.port.postMessage(undefined);
    node.port.close();
  };
}
