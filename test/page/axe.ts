import axe, { type AxeResults, type ElementContext, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/** As much as its rules need, and no more: what they pass is not described. */
const NEEDED: RunOptions = {
  resultTypes: ['violations'],
  // A video that is missing is never loaded, for which axe would wait ten seconds.
  preload: { assets: ['media'], timeout: 1_000 },
};

interface InPage {
  axe: { run(context: ElementContext, options: RunOptions): Promise<AxeResults> };
}

/** Runs axe on a page, or on a part of it. @returns the rules that are broken, each with the elements that break it */
export async function axeFaultsOf(page: Page, options: RunOptions = {}, within: ElementContext = 'html') {
  if (!(await page.evaluate(`typeof axe === 'object'`))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    ([context, all]) => (globalThis as unknown as InPage).axe.run(context, all),
    [within, { ...NEEDED, ...options }] as const,
  );
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)] as const);
}
