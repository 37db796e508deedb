/** German verbs whose form for `du` has another stem than that for `Sie`. */
const VERBS: Readonly<Record<string, string>> = {
  sind: 'bist',
  haben: 'hast',
  können: 'kannst',
  könnten: 'könntest',
  würden: 'würdest',
  hätten: 'hättest',
  wären: 'wärst',
  wissen: 'weißt',
  wollen: 'willst',
  möchten: 'möchtest',
  mögen: 'magst',
  müssen: 'musst',
  dürfen: 'darfst',
  sollen: 'sollst',
  werden: 'wirst',
  essen: 'isst',
  geben: 'gibst',
  empfehlen: 'empfiehlst',
  lesen: 'liest',
  sprechen: 'sprichst',
  sehen: 'siehst',
  schlafen: 'schläfst',
  helfen: 'hilfst',
  nehmen: 'nimmst',
  halten: 'hältst',
  raten: 'rätst',
  verstehen: 'verstehst',
};
/** Verbs that a request begins with: `Erzählen Sie mir …`. */
const IMPERATIVES: Readonly<Record<string, string>> = {
  erzählen: 'erzähl',
  sagen: 'sag',
  zeigen: 'zeig',
  erklären: 'erklär',
  nennen: 'nenn',
  geben: 'gib',
  empfehlen: 'empfiehl',
  helfen: 'hilf',
  verraten: 'verrate',
};
const YOU = /^Sie(?!\p{L})/u;
const YOUR = /^Ih(?:nen|r(?:e|en|em|er)?)(?!\p{L})/u;
const ME = /^(?:mir|uns|bitte|mal)\b/u;

/** A German text that says `Sie` to someone, as it would say `du`. */
export function informal(text: string): string {
  if (!/\b(?:Sie|Ih(?:nen|re?[nmr]?))\b/u.test(text)) return text;
  const words: string[] = [];
  const spoken = text.split(' ');
  spoken.forEach((word, index) => {
    const before = words.at(-1)?.toLowerCase();
    if (before && YOU.test(word) && (before.endsWith('en') || before === 'sind')) {
      const imperative = ME.test(spoken[index + 1] ?? '') ? IMPERATIVES[before] : undefined;
      words[words.length - 1] = imperative ?? verbFor(before);
      if (!imperative) words.push(word.replace('Sie', 'du'));
    } else if (before && YOUR.test(word)) words.push(word.replace('Ihnen', 'dir').replace(/^Ihr/u, 'dein'));
    else words.push(word);
  });
  return words.join(' ');
}

function verbFor(verb: string): string {
  const stem = verb.slice(0, -2);
  return VERBS[verb] ?? (/[td]$/u.test(stem) ? `${stem}est` : /[sßz]$/u.test(stem) ? `${stem}t` : `${stem}st`);
}
