import {
  BASIC_MOUTHS,
  drawnMouth,
  EYES,
  MOUTHS,
  type Mouth,
  NECK,
  poseAt,
  type SeenMouth,
} from '../../../../src/face/index.js';
import { drawing } from './picture.js';

/** How long one shape of the mouth takes to become the next. */
const TURN_SECONDS = 0.06;
/** How much of their way brows go from one picture to the next. */
const EASE = 0.12;

/** A layered portrait that moves: mouth, blinking eyes, a head that sways. */
export class Portrait {
  private readonly layers: Map<string, Element>;
  private mouth: Mouth = 'rest';
  private before: Mouth = 'rest';
  /** When the mouth began to turn, in seconds. */
  private turned = 0;
  private raised = 0;

  private constructor(readonly svg: SVGSVGElement) {
    this.layers = new Map([...svg.querySelectorAll('[id]')].map((layer) => [layer.id, layer]));
  }

  /** The `portrait.svg` beside an idle video; undefined where there is none, or not one with these layers. */
  static async beside(idleVideo: string): Promise<Portrait | undefined> {
    const svg = await drawing(new URL('portrait.svg', idleVideo).href).catch(() => undefined);
    const portrait = svg && new Portrait(svg);
    return portrait && BASIC_MOUTHS.every(portrait.has) ? portrait : undefined;
  }

  /** Whether it draws a shape of the mouth. */
  readonly has = (mouth: Mouth): boolean => this.layers.has(`mouth-${mouth}`);

  /** Shows shapes of the mouth, each as far as it is to be seen. */
  see(shapes: readonly SeenMouth[]): void {
    for (const mouth of MOUTHS) {
      const seen = shapes.find((shape) => shape.mouth === mouth);
      this.show(`mouth-${mouth}`, seen !== undefined);
      this.layers.get(`mouth-${mouth}`)?.setAttribute('opacity', String(seen?.opacity ?? 1));
    }
  }

  /** Turns to a shape of the mouth within a moment; to be called again until it is there. @param now in seconds */
  turn(shape: Mouth, now: number): void {
    const mouth = drawnMouth(shape, this.has);
    if (mouth !== this.mouth) [this.before, this.mouth, this.turned] = [this.mouth, mouth, now];
    const opacity = Math.min(1, (now - this.turned) / TURN_SECONDS);
    const shapes = [{ mouth, opacity }];
    this.see(opacity < 1 ? [{ mouth: this.before, opacity: 1 - opacity }, ...shapes] : shapes);
  }

  /** Raises the brows so far, in units of the drawing. */
  raise(height: number): void {
    // Some of the way at each picture, so that they never jump.
    this.raised += (height - this.raised) * EASE;
    this.move('brows', `translate(0 ${-this.raised})`);
  }

  /** Where everything but the mouth is, at a time in seconds. */
  pose(seconds: number): void {
    const { head, features, irises, body, eyes } = poseAt(seconds);
    const moved = `translate(${head.x} ${head.y}) rotate(${head.degrees} ${NECK.x} ${NECK.y})`;
    this.move('head', moved);
    this.move('hair-back', moved);
    this.move('features', `translate(${features.x} ${features.y})`);
    this.move('irises', `translate(${irises.x} ${irises.y})`);
    this.move('body', `translate(${body.x} ${body.y})`);
    const seen = this.layers.has(`eyes-${eyes}`) ? eyes : 'open';
    for (const shape of EYES) this.show(`eyes-${shape}`, shape === seen);
  }

  private move(layer: string, transform: string): void {
    this.layers.get(layer)?.setAttribute('transform', transform);
  }

  private show(layer: string, shown: boolean): void {
    if (shown) this.layers.get(layer)?.removeAttribute('display');
    else this.layers.get(layer)?.setAttribute('display', 'none');
  }
}
