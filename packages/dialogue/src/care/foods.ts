import { wordsOf } from '../text/words.js';

/** Say that a food is left out, in any language. */
const WITHOUT: ReadonlySet<string> = new Set(
  'no not without kein keine keinen keiner keinem nicht ohne sin ningun ninguna nao sem pas sans'.split(' '),
);

/** Words for foods, folded, in any language: stems, from four letters on. */
const list = (words: string) => words.split(' ');
export const DAIRY = list(
  'milk cream butter cheese yoghurt yogurt parmesan mozzarella milch sahne kase joghurt quark parmesan leche nata mantequilla queso yogur parmesano',
);
export const EGGS = list('egg eggs eier ei eigelb huevo huevos yema mayonnaise mayonesa');
export const GLUTEN = list(
  'flour bread pasta noodle spaghetti couscous wheat mehl brot nudel weizen semmel harina pan trigo fideo macarron ' +
    'oat oats oatmeal porridge barley rye spelt semolina bulgur hafer haferflocke gerste roggen dinkel griess avena cebada centeno espelta semola',
);
export const NUTS = list(
  'nut nuts walnut hazelnut almond pecan pistachio cashew peanut nuss nusse walnuss haselnuss mandel pistazie cashew erdnuss nuez nueces almendra avellana pistacho anacardo cacahuete',
);
export const SEAFOOD = list(
  'shrimp prawn mussel clam crab lobster squid oyster scampi seafood garnele muschel krabbe hummer tintenfisch meeresfruchte gamba mejillon almeja cangrejo langosta calamar marisco langostino',
);
export const FISH = list(
  'fish salmon tuna anchov cod trout sardine fisch lachs thunfisch sardelle forelle pescado salmon atun anchoa bacalao merluza sardina',
);
const LEAST_STEM = 4;

/** Whether a text names one of some foods, and does not say that it is left out. */
export function namesFood(text: string, foods: readonly string[]): boolean {
  const words = wordsOf(text, 200);
  return words.some(
    ({ text: word }, at) =>
      isOneOf(word, foods) && !words.slice(Math.max(0, at - 3), at).some((before) => WITHOUT.has(before.text)),
  );
}

function isOneOf(word: string, foods: readonly string[]): boolean {
  return foods.some((food) => word === food || (food.length >= LEAST_STEM && word.startsWith(food)));
}
