/** The worklets of the page's audio contexts. */
const loaded = new WeakMap<AudioContext, Promise<void>>();

/** Loads the script `worklet.js` of this package once for each context. */
export async function loadWorklet(context: AudioContext, worklet: string): Promise<void> {
  const loading = loaded.get(context) ?? context.audioWorklet.addModule(worklet);
  loaded.set(context, loading);
  loading.catch(() => loaded.delete(context));
  await loading;
}

/** What to ask `getUserMedia` for: echo cancellation for everything that the browser plays, where it can. */
export const LIVE_MICROPHONE = {
  // Where only `true` is known, this is that.
  echoCancellation: 'all' as unknown as boolean,
  noiseSuppression: true,
  autoGainControl: true,
} satisfies MediaTrackConstraints;

/** What a stream hears, in pieces of 40 ms for {@link LiveSession.append}. @returns what ends it; the stream stays open */
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
