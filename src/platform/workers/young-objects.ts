import { setFlagsFromString } from 'node:v8';

/** By how much V8 multiplies its space for young objects where it is too small: the default, and not at all. */
const [GROWING, FIXED] = [2, 1];

/**
 * Keeps V8's space for young objects as small as it is until the returned function is called. The objects of a start would
 * make it some 30 MiB, which an idle process would keep for minutes.
 */
export function keepYoungSpaceSmall(): () => void {
  setGrowth(FIXED);
  return () => setGrowth(GROWING);
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
