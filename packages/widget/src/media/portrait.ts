import {
  BASIC_MOUTHS,
  drawnMouth,
  EYES,
  MOUTHS,
  type Mouth,
  NECK,
  poseAt,
  type SeenMouth,
} from '../../../video/src/face/index.js';
import { drawing } from './picture.js';

/** The duration of the transition between two mouth shapes. */
const TRANSITION_SECONDS = 0.06;
/** The fraction of the remaining distance that brows move per frame. */
const BROW_EASING = 0.23;

/** An animated layered portrait: mouth, blinking eyes, a swaying head. */
export class Portrait {
  private readonly layers: Map<string, Element>;
  private mouth: Mouth = 'rest';
  private before: Mouth = 'rest';
  /** When the mouth transition began, in seconds. */
  private turned = 0;
  private raised = 0;

  private constructor(readonly svg: SVGSVGElement) {
    this.layers = new Map([...svg.querySelectorAll('[id]')].map((layer) => [layer.id, layer]));
  }

  /** The `portrait.svg` beside an idle video; undefined if there is none, or if it lacks these layers. */
  static async beside(idleVideo: string): Promise<Portrait | undefined> {
    const svg = await drawing(new URL('portrait.svg', idleVideo).href).catch(() => undefined);
    const portrait = svg && new Portrait(svg);
    return portrait && BASIC_MOUTHS.every(portrait.has) ? portrait : undefined;
  }

  /** Whether it has a mouth shape. */
  readonly has = (mouth: Mouth): boolean => this.layers.has(`mouth-${mouth}`);

  /** Shows mouth shapes, each with its opacity. */
  see(shapes: readonly SeenMouth[]): void {
    for (const mouth of MOUTHS) {
      const seen = shapes.find((shape) => shape.mouth === mouth);
      this.show(`mouth-${mouth}`, seen !== undefined);
      this.layers.get(`mouth-${mouth}`)?.setAttribute('opacity', String(seen?.opacity ?? 1));
    }
  }

  /** Moves towards a mouth shape; call for each frame. @param now in seconds */
  turn(shape: Mouth, now: number): void {
    const mouth = drawnMouth(shape, this.has);
    if (mouth !== this.mouth) [this.before, this.mouth, this.turned] = [this.mouth, mouth, now];
    const opacity = Math.min(1, (now - this.turned) / TRANSITION_SECONDS);
    const shapes = [{ mouth, opacity }];
    this.see(opacity < 1 ? [{ mouth: this.before, opacity: 1 - opacity }, ...shapes] : shapes);
  }

  /** Raises the brows, in units of the drawing. */
  raise(height: number): void {
    // Part of the distance per frame, so that they never jump.
    this.raised += (height - this.raised) * BROW_EASING;
    this.move('brows', `translate(0 ${-this.raised})`);
  }

  /** The pose of everything but the mouth, at a time in seconds. */
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
