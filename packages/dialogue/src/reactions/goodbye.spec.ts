import { join } from 'node:path';
import { readScript, SHIPPED_SCRIPTS, talkTo } from '../../test/scripts.js';

const mira = readScript(join(SHIPPED_SCRIPTS, 'mira'));
const idOf = (language: string, request: string) => talkTo(mira.get(language)!, [request], { name: 'Mira' })[0]!.id;

it.each([
  ['en', 'eh ok, i gotta make dinner now. bye!'],
  ['en', "hm ok. i'll go make my pancakes now, good night mira"],
  ['de', 'ok spannend. muss jetzt lernen, ciao mira!'],
  ['de', 'Da läuft mir ja schon das Wasser im Mund zusammen. Vielen Dank, Mira, und auf Wiedersehen!'],
  ['es', '¡Adiós, Mira, muchas gracias por todo!'],
])('a goodbye ends a conversation whatever precedes it (%s): %s', (language, request) => {
  expect(idOf(language, request)).toMatch(/^(bye|good_night|parting)/);
});

it.each([
  ['en', 'my dad died and we never said goodbye'],
  ['de', 'ich konnte mich nie verabschieden'],
])('a goodbye that is told of is none (%s): %s', (language, request) => {
  expect(idOf(language, request)).not.toMatch(/^(bye|good_night|parting)/);
});
