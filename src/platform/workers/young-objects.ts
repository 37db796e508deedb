import { setFlagsFromString } from 'node:v8';

/** By how much V8 multiplies its space for young objects where it is too small: the default, and not at all. */
const [GROWING, FIXED] = [2, 1];

let keepers = 0;

/**
 * Keeps V8's space for young objects as small as it is until each returned function has been called. The objects of a start
 * would make it some 30 MiB, which an idle process would keep for minutes; the sound of live sessions, too, and what is
 * outside V8's heap would wait longer to be freed.
 */
export function keepYoungSpaceSmall(): () => void {
  if (keepers++ === 0) setGrowth(FIXED);
  let keeps = true;
  return () => {
    if (keeps && --keepers === 0) setGrowth(GROWING);
    keeps = false;
  };
}

/** To be called when a thread has begun: V8 then takes up its default for all of them. */
export function keepYoungSpaceAsBefore(): void {
  if (keepers > 0) setGrowth(FIXED);
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
