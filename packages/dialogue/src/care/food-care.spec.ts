import { AVATARS, readScript, talk } from '../../test/scripts.js';

const kinds = (avatar: string, language: string, turns: readonly string[]) =>
  talk(readScript(avatar).in(language), turns).map(({ id, kind }) => `${id} ${kind}`);

it.each([
  ['en', 'the chicken smells weird, can I still cook it?', 'and if i wash it well?'],
  ['en', 'i left the soup out overnight', 'what if i boil it again?'],
  ['de', 'das huhn riecht komisch, kann ich es noch kochen?', 'und wenn ich es gut wasche?'],
  ['es', 'el pollo me huele raro, ¿lo puedo cocinar igual?', '¿y si lo lavo bien?'],
  ['fr', 'le poulet sent bizarre, je peux le manger ?', 'et si je le lave ?'],
  ['pt', 'o frango cheira estranho, posso comer?', 'e se eu lavar bem?'],
  ['ar', 'الدجاج رائحته غريبة', 'لو غسلته'],
  ['hi', 'चिकन से बदबू आ रही है'],
  ['zh', '鸡肉闻起来怪怪的，还能吃吗', '洗干净呢'],
])('food that may be spoiled goes away, washed or not: %s, %s', (language, ...turns) => {
  for (const avatar of AVATARS) expect(kinds(avatar, language, turns)).toEqual(turns.map(() => 'unsafe_food care'));
});

it('hears in the next turn that the food stood outside', () => {
  const turns = ['is it ok to eat rice from 3 days ago?', 'it was on the counter, not in the fridge'];
  expect(kinds('bruno', 'en', turns).at(-1)).toBe('unsafe_food care');
  expect(kinds('bruno', 'en', ['hello', 'it was on the counter']).at(-1)).not.toMatch('unsafe_food');
});

it.each([
  ['en', "my guest is allergic to peanuts, can I use peanut oil if it's refined?"],
  ['de', 'mein gast ist gegen erdnüsse allergisch, darf er zorbelöl?'],
  ['es', 'soy celíaco, ¿puedo comerla?'],
  ['fr', 'mon invité est allergique aux arachides, je peux lui servir ça ?'],
  ['pt', 'meu convidado é alérgico a amendoim, posso servir isso?'],
  ['ar', 'ضيفي عنده حساسية من الفول السوداني، هل يمكنني تقديم هذا؟'],
  ['hi', 'मेहमान को मूंगफली से एलर्जी है, क्या मैं यह परोस सकता हूँ?'],
  ['zh', '客人对花生过敏，可以用花生油吗？'],
])('an allergy is met with caution: %s', (language, request) => {
  expect(kinds('bruno', language, [request])).toEqual(['food_allergy care']);
});

it.each([
  ['en', 'i burned my hand with oil', 'can i put butter on it?', 'safe_medical'],
  ['de', 'ich habe mir die hand am öl verbrannt', 'kann ich butter drauftun?', 'safe_medical'],
  ['es', 'me he quemado la mano con aceite', '¿y pongo mantequilla?', 'safe_medical'],
  ['fr', 'je me suis brûlé la main', 'je peux mettre du beurre ?', 'safe_medical'],
  ['pt', 'queimei minha mão com óleo', 'posso passar manteiga?', 'safe_medical'],
  ['ar', 'أحرقت يدي بالزيت', 'هل أضع عليها زبدة؟', 'safe_medical'],
  ['hi', 'मेरा हाथ तेल से जल गया', 'क्या मक्खन लगाऊँ?', 'safe_medical'],
  ['zh', '我的手被油烫伤了', '可以涂黄油吗？', 'safe_medical'],
])('a short further question to careful advice gets it again: %s', (language, request, further, id) => {
  expect(kinds('bruno', language, [request, further])).toEqual([`${id} care`, `${id} care`]);
  expect(kinds('bruno', language, [request, further, 'hello']).at(-1)).not.toMatch(id);
});
