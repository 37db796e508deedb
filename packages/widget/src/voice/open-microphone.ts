/** Why recording is impossible. */
export type MicrophoneProblem = 'insecure' | 'blocked' | 'missing' | 'busy' | 'lost';

export class MicrophoneError extends Error {
  constructor(readonly problem: MicrophoneProblem) {
    super(problem);
  }
}

const PROBLEMS: Readonly<Record<string, MicrophoneProblem>> = {
  NotAllowedError: 'blocked',
  SecurityError: 'blocked',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
};

/**
 * Opens the microphone and, for video, the camera if there is one.
 *
 * @throws MicrophoneError
 */
export async function openMicrophone(audio: MediaTrackConstraints, video: boolean): Promise<MediaStream> {
  if (!navigator.mediaDevices?.getUserMedia) throw new MicrophoneError(window.isSecureContext ? 'missing' : 'insecure');
  const ask = (video: MediaTrackConstraints | false) => navigator.mediaDevices.getUserMedia({ audio, video });
  try {
    if (!video) return await ask(false);
    return await ask({ width: 640, height: 480, facingMode: 'user' }).catch(() => ask(false));
  } catch (error) {
    throw new MicrophoneError(PROBLEMS[(error as Error).name] ?? 'busy');
  }
}
