const list = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Whom users tell of, in any language. */
export const ADULTS = list(
  'mother mum mom father dad sister brother wife husband partner girlfriend boyfriend friend boss neighbour colleague aunt uncle cousin niece nephew grandmother grandma grandfather grandpa teacher ' +
    'mutter mama vater papa schwester bruder frau mann partner partnerin freundin freund chef chefin nachbar nachbarin kollege kollegin tante onkel oma opa grossmutter grossvater cousine lehrer lehrerin ' +
    'madre padre hermana hermano mujer marido esposa esposo pareja novio novia amigo amiga jefe jefa vecino vecina companero companera tia tio prima primo abuela abuelo cunado cunada suegra suegro profesora profesor',
);
export const CHILDREN_AND_PETS = list('son daughter dog cat sohn tochter hund katze hijo hija perro gato');
/** Of those, by a word for them: not `sie` and `er`, which German has for things too, nor `él`, which may be an article. */
const THEY = list('he she ella ellos ellas');
const FIRST_WORDS = 4;

/** Whether words tell of another grown-up: "my friend has cancer". */
export function tellOfOthers(words: readonly { readonly text: string }[]): boolean {
  return words.slice(0, FIRST_WORDS).some(({ text }, index) => ADULTS.has(text) || (index === 0 && THEY.has(text)));
}
