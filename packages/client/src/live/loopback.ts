const CONNECT_MS = 1500;

/** Plays sound through a peer connection within the page, because Chrome's echo cancellation only considers those. */
export class Loopback {
  private readonly near = new RTCPeerConnection();
  private readonly far = new RTCPeerConnection();
  private readonly audio = new Audio();

  private constructor(
    /** Connect audio nodes to this. */
    readonly input: MediaStreamAudioDestinationNode,
  ) {}

  /** @throws if no connection can be established, as on a machine without a network */
  static async open(context: AudioContext): Promise<Loopback> {
    const loopback = new Loopback(context.createMediaStreamDestination());
    try {
      await loopback.connect();
    } catch (error) {
      loopback.close();
      throw error;
    }
    return loopback;
  }

  close(): void {
    this.audio.srcObject = null;
    this.near.close();
    this.far.close();
  }

  private async connect(): Promise<void> {
    const { near, far, audio, input } = this;
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.onicecandidate = ({ candidate }) => candidate && void other.addIceCandidate(candidate).catch(() => undefined);
    }
    const connected = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('No connection')), CONNECT_MS);
      near.onconnectionstatechange = () => {
        if (near.connectionState !== 'connected') return;
        clearTimeout(timer);
        resolve();
      };
    });
    connected.catch(() => undefined);
    far.ontrack = ({ streams: [stream] }) => {
      audio.srcObject = stream!;
      void audio.play().catch(() => undefined);
    };
    for (const track of input.stream.getTracks()) near.addTrack(track, input.stream);
    const offer = await near.createOffer();
    await near.setLocalDescription(offer);
    await far.setRemoteDescription(offer);
    const answer = await far.createAnswer();
    await far.setLocalDescription(answer);
    await near.setRemoteDescription(answer);
    await connected;
  }
}
