import { Ear } from './ear.js';
import type { EarOrder, EarReport } from './recognition.messages.js';
import type { Recognizer } from './recognizer.js';

type Parts = ReturnType<Recognizer['partsOfEar']>;

/** The live speakers of a recognition process. */
export class Ears {
  private readonly ears = new Map<number, { ear: Ear; parts: Parts }>();

  constructor(
    private readonly recognizer: Pick<Recognizer, 'partsOfEar'>,
    private readonly report: (report: EarReport) => void,
  ) {}

  obey(order: EarOrder): void {
    if (order.order === 'open') return this.open(order);
    const { ear: id } = order;
    const { ear, parts } = this.ears.get(id) ?? {};
    if (!ear || !parts) return;
    if (order.order === 'hear') {
      ear.hear(order.sound, order.from);
      this.report({ ear: id, done: 'hear' });
    } else if (order.order === 'configure') {
      parts.configure(order.detection);
      ear.configure(order.detection);
    } else if (order.order === 'commit') ear.commit();
    else if (order.order === 'clear') {
      ear.clear();
      this.report({ ear: id, done: 'clear' });
    } else {
      ear.clear();
      this.ears.delete(id);
      parts.giveBack();
    }
  }

  private open({ ear: id, detection, from, first }: EarOrder & { order: 'open' }): void {
    const parts = this.recognizer.partsOfEar(detection);
    const ear = new Ear(parts, detection, from, first, (heard) => this.report({ ear: id, heard }));
    this.ears.set(id, { ear, parts });
  }
}
