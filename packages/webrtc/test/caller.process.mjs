/** A browser, as far as calls are concerned, in a process that can be killed: see Caller. */
import wrtc from '@roamhq/wrtc';

// Its types lack some of what it has.
const { RTCPeerConnection, MediaStream, nonstandard } = /** @type {any} */ (wrtc);
const RATE = 48_000;
const tell = (message) => process.send?.(message, undefined, undefined, () => undefined);
process.on('disconnect', () => process.exit());

const peer = new RTCPeerConnection({ iceServers: [] });
const source = new nonstandard.RTCAudioSource();
let channel;
/** What is left to say. */
let words = new Int16Array(0);
let spoken = 0;
/** Of the sound that arrives: its energy in pieces of 100 ms. */
let energy = 0;
let frames = 0;

peer.onconnectionstatechange = () => tell({ state: peer.connectionState });
peer.ontrack = ({ track, streams }) => {
  tell({ streams: streams.length });
  new nonstandard.RTCAudioSink(track).ondata = ({ samples }) => {
    energy += samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    if (++frames % 10 > 0) return;
    tell({ level: Math.sqrt(energy / 10) });
    energy = 0;
  };
};

const began = performance.now();
setInterval(() => {
  const due = Math.floor((performance.now() - began) / 10);
  for (; spoken < due; spoken++) {
    const samples = new Int16Array(RATE / 100);
    samples.set(words.subarray(0, samples.length));
    words = words.subarray(samples.length);
    source.onData({ samples, sampleRate: RATE });
  }
}, 10);

const commands = {
  async offer({ audio = true, video = false, label = 'oai-events' }) {
    if (audio) peer.addTrack(source.createTrack(), new MediaStream());
    if (video) peer.addTransceiver('video');
    if (label) {
      channel = peer.createDataChannel(label);
      channel.addEventListener('open', () => tell({ opened: true }));
      channel.addEventListener('close', () => tell({ closed: true }));
      channel.addEventListener('message', ({ data }) => tell({ event: JSON.parse(data) }));
    }
    await peer.setLocalDescription(await peer.createOffer());
    while (peer.iceGatheringState !== 'complete') await new Promise((resolve) => setTimeout(resolve, 10));
    tell({ offer: peer.localDescription.sdp });
  },
  answer: (sdp) => peer.setRemoteDescription({ type: 'answer', sdp }),
  send: (text) => channel.send(text),
  /** A tone. */
  say({ hz, ms }) {
    words = Int16Array.from({ length: (RATE * ms) / 1000 }, (_, n) => 8000 * Math.sin((2 * Math.PI * hz * n) / RATE));
  },
  async count() {
    for (const { type, packetsReceived } of (await peer.getStats()).values())
      if (type === 'inbound-rtp') tell({ packets: packetsReceived });
  },
  close: () => peer.close(),
};
process.on('message', ([name, value]) => void commands[name](value));
