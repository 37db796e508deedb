import { h } from '../core/dom.js';
import { fill, type Strings } from '../strings/index.js';

/** As the service counts: in Unicode characters, without white space around the text. */
const MAX_CHARACTERS = 8000;

/** Says beside an input that its text is too long, and by how much. Nothing is cut off. */
export class LengthLimit {
  readonly element = h('p', { class: 'too-long', role: 'status' });
  isExceeded = false;

  constructor(
    private readonly strings: Pick<Strings, 'tooLong'>,
    private readonly input: HTMLInputElement | HTMLTextAreaElement,
  ) {
    input.addEventListener('input', () => this.check());
  }

  check(): void {
    const { strings, input, element } = this;
    const text = input.value.trim();
    // The number of UTF-16 units is never less.
    const n = text.length <= MAX_CHARACTERS ? 0 : [...text].length - MAX_CHARACTERS;
    this.isExceeded = n > 0;
    element.textContent = this.isExceeded ? fill(strings.tooLong, { n }) : '';
    input.setAttribute('aria-invalid', String(this.isExceeded));
  }
}
