import { h } from '../core/dom.js';
import { installLocally, type RecognitionProblem, recognisesLocally } from './recognition.js';
import type { Strings } from '../strings/index.js';

const PROBLEMS = {
  network: 'recogniseNetwork',
  blocked: 'recogniseBlocked',
  language: 'recogniseLanguage',
  silent: 'recogniseSilent',
} as const;

/** The option to use browser speech recognition, with a note on where the audio goes and on errors. */
export class RecogniseOption {
  readonly element: HTMLElement;
  chosen = false;
  /** Whether the audio stays on this device. */
  isLocal = false;
  private readonly note: HTMLElement;
  private readonly problem = h('p', { class: 'voice-hint', role: 'status', hidden: true });

  constructor(
    private readonly strings: Strings,
    private readonly language_code: string,
  ) {
    this.note = h('small', {}, ` \u2013 ${strings.recogniseNote}`);
    this.element = h(
      'div',
      {},
      h(
        'label',
        { class: 'recognise' },
        h('input', { type: 'checkbox', onchange: () => void this.toggle() }),
        h('span', {}, strings.recognise, this.note),
      ),
      this.problem,
    );
    void recognisesLocally(language_code).then((isLocal) => this.show(isLocal));
  }

  /** Shows why recognition failed, or clears that. */
  fail(problem?: RecognitionProblem): void {
    this.problem.hidden = problem === undefined;
    this.problem.textContent = problem === undefined ? '' : this.strings[PROBLEMS[problem]];
  }

  private async toggle(): Promise<void> {
    this.chosen = !this.chosen;
    this.fail();
    if (this.chosen && !this.isLocal) this.show(await installLocally(this.language_code));
  }

  private show(isLocal: boolean): void {
    this.isLocal = isLocal;
    this.note.hidden = isLocal;
  }
}
