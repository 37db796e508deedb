import { CLOSE_UP, crop, still } from './portrait.mjs';

// A language is not a country, so no flags: each badge shows a letter that is typical of the script,
// drawn as strokes, so that no font is needed.
export const LANGUAGES = {
  en: { from: '#6d83f7', to: '#3f51cf', strokes: 'M21.5 42 32 17l10.5 25M25.5 34h13' },
  es: {
    from: '#ffa24d',
    to: '#e8622a',
    strokes: 'M23 42V26M23 33c1-5 5-8 9-8 6 0 9 4 9 9v8M24 17c3-4 6-3 8-1s5 3 8-1',
  },
  fr: {
    from: '#4fbcf5',
    to: '#1f86cf',
    strokes: 'M21.5 33h21c0-6-4-10-10-10s-11 4-11 10 4 10 11 10c4 0 7-1 9-4M31 16l6-5',
  },
  de: { from: '#66748c', to: '#3b465a', strokes: 'M23 44V22c0-6 4-9 9-9s9 3 9 8c0 4-3 6-6 7 5 0 8 3 8 8 0 5-4 8-11 7' },
  pt: {
    from: '#4bc983',
    to: '#1f9457',
    strokes: 'M40 33c0 6-4 10-9 10s-9-4-9-9 4-9 9-9 9 3 9 8zM40.5 25v18M23 17c3-4 6-3 8-1s5 3 8-1',
  },
  ar: { from: '#33c2b8', to: '#0d8a8a', strokes: 'M40 18c-4-5-14-4-14 3 0 5 6 6 13 5-10 1-18 6-18 13 0 8 12 9 21 5' },
  hi: {
    from: '#ab80f5',
    to: '#7441d6',
    strokes: 'M17 16h31M43 16v28M20 23c5-4 12-3 12 3 0 4-4 5-7 5 5 0 8 3 8 7 0 6-9 7-14 1M33 31h10',
  },
  zh: { from: '#f5696b', to: '#cf2f3f', strokes: 'M32 12l1 5M18 21h28M40 22c-3 10-10 18-20 22M24 22c3 10 10 18 20 22' },
};

/** A language's icon: a speech bubble with a letter in it, 64 × 64. */
export function languageBadge(code) {
  const { from, to, strokes } = LANGUAGES[code];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <linearGradient id="${code}-bubble" x1="0" y1="0" x2="0" y2="1">
    <stop offset="0" stop-color="${from}" />
    <stop offset="1" stop-color="${to}" />
  </linearGradient>
  <path d="M32 2a27 27 0 1 1-9 52.5c-4 4-9 6.5-16 7 3-4 4.5-8 4.5-13A27 27 0 0 1 32 2z" fill="url(#${code}-bubble)" />
  <path d="${strokes}" fill="none" stroke="#ffffff" stroke-width="4.5" stroke-linecap="round" stroke-linejoin="round" />
</svg>
`;
}

/** An avatar's start button: its portrait in a ring, with a play sign, 128 × 128. */
export function startButton(id, portrait, accent) {
  const inner = crop(still(portrait), CLOSE_UP).replace('<svg ', '<svg x="6" y="6" width="116" height="116" ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128">
  <clipPath id="${id}-ring"><circle cx="64" cy="64" r="56" /></clipPath>
  <circle cx="64" cy="64" r="63" fill="${accent}" />
  <circle cx="64" cy="64" r="59" fill="#ffffff" />
  <g clip-path="url(#${id}-ring)">
${inner.trim()}
  </g>
  <circle cx="104" cy="104" r="23" fill="#ffffff" />
  <circle cx="104" cy="104" r="19.5" fill="${accent}" />
  <path d="M99 95.5l14 8.5-14 8.5z" fill="#ffffff" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" />
</svg>
`;
}
