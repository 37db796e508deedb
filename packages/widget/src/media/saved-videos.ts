import type { Entry } from '../history/conversation.js';
import { h, icon } from '../core/dom.js';
import type { Strings } from '../strings/index.js';

/** The audio of an answer's file, for which the service does not have to render the video. Other files are unchanged. */
export function soundOf(fileUrl: string): string {
  const url = new URL(fileUrl);
  if (/\/files\/[^/]+$/.test(url.pathname) && url.searchParams.has('signature')) url.pathname += '/sound';
  return url.href;
}

/** Downloadable videos of answers. */
export class SavedVideos {
  /** Whether an avatar's answers are videos. This depends on the project and the avatar. */
  private readonly known = new Map<string | undefined, Promise<boolean>>();

  constructor(private readonly strings: Strings) {}

  /** Controls for the video of an answer that is played as audio only. */
  controls(
    { recording, avatar_id }: Entry & { recording: string },
    failed: (error: unknown) => void,
  ): readonly HTMLElement[] {
    const label = this.strings.saveVideo;
    const link = h(
      'a',
      {
        class: 'act',
        href: recording,
        // A link to another origin is opened in a new tab instead.
        download: NAME,
        target: '_blank',
        rel: 'noopener noreferrer',
        'aria-label': label,
        title: label,
        hidden: true,
      },
      icon('save'),
    );
    const controls = canShare() ? [link, shareButton(recording, this.strings.shareVideo, failed)] : [link];
    const isVideo = this.known.get(avatar_id) ?? isVideoFile(recording);
    this.known.set(avatar_id, isVideo);
    void isVideo.then(
      (is) => controls.forEach((control) => (control.hidden = !is)),
      () => this.known.delete(avatar_id),
    );
    return controls;
  }
}

async function isVideoFile(url: string): Promise<boolean> {
  const { ok, headers } = await fetch(url, { method: 'HEAD' });
  if (!ok) throw new Error('The file is not there');
  return headers.get('content-type') === 'video/mp4';
}

const NAME = 'answer.mp4';
const TYPE = { type: 'video/mp4' };

function canShare(): boolean {
  return navigator.canShare?.({ files: [new File([], NAME, TYPE)] }) === true;
}

function shareButton(url: string, label: string, failed: (error: unknown) => void): HTMLButtonElement {
  const button = h(
    'button',
    { type: 'button', class: 'act', 'aria-label': label, title: label, hidden: true },
    icon('share'),
  );
  let file: File | undefined;
  const share = async () => {
    button.disabled = true;
    try {
      file ??= await fileAt(url);
      await navigator.share({ files: [file] });
    } catch (error) {
      // Cancelled, or it took longer than the user activation lasts: the next click finds it loaded.
      if (!/^(Abort|NotAllowed)Error$/.test((error as Error).name)) failed(error);
    } finally {
      button.disabled = false;
    }
  };
  button.addEventListener('click', () => void share());
  return button;
}

async function fileAt(url: string): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error('The file is not there');
  return new File([await response.blob()], NAME, TYPE);
}
