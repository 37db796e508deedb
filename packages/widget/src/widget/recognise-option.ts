import { h } from './dom.js';
import { installLocally, type RecognitionProblem, recognisesLocally } from './recognition.js';
import type { Strings } from './strings/index.js';

const PROBLEMS = {
  network: 'recogniseNetwork',
  blocked: 'recogniseBlocked',
  language: 'recogniseLanguage',
  silent: 'recogniseSilent',
} as const;

/** Where a user lets the browser recognise speech, told where the sound goes and what went wrong. */
export class RecogniseOption {
  readonly element: HTMLElement;
  chosen = false;
  /** Whether the sound stays on this device. */
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

  /** Shows why the browser understood nothing, or that it has understood. */
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
