/** What may stand before a sentence, in any language. */
export const OPENERS: ReadonlySet<string> = new Set(
  (
    'hey hi hello ok okay so and but well oh then please now yes no und aber also na hallo bitte dann ja nein y pero pues hola oye bueno si e mas ola et mais alors bonjour salut oui non ' +
    'anyway actually btw um uh hmm because ' +
    'haha hahaha lol wait wow ooh ah aha huh jaja jajaja ay uy anda vaya ach oha krass moment hihi'
  ).split(' '),
);
