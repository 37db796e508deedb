import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, readScript } from '../../test/scripts.js';

const spanish = (avatar: string) => readScript(join(SHIPPED_SCRIPTS, avatar)).get('es')!;

describe('a Spanish script', () => {
  it.each([
    ['a name with a word of welcome', ['Laura, encantada!'], 'tell_name'],
    ['a short name before a question', ['soy javi, y tú?'], 'tell_name'],
    ["a name before a question for the avatar's", ['me llamo Pepe, y tú?'], 'tell_name'],
    ['no name in a flower', ['Rosa'], 'why_flamingo_pink'],
    ['usted as tú', ['¿Me puede contar un chiste?'], 'joke'],
    ['an offered topic', ['¿de qué sabes?', 'los volcanes, venga'], 'about_volcanoes'],
    ['a topic beside agreement', ['sabes de fontanería?', 'los dinosaurios, vale'], 'about_dinos'],
  ])('hears %s', (_, requests, id) => {
    const script = spanish('ada');
    const history: { request: string; answer: string }[] = [];
    const replies = requests.map((request) => {
      const reply = replyTo({ avatar: { name: 'Ada' }, request, history: [...history] }, script, [], 0);
      history.push({ request, answer: reply.answer });
      return reply;
    });
    expect(replies.at(-1)?.id).toBe(id);
  });

  it.each([
    ['an exclamation asks for nothing', ['¡Qué bien! Esta noche lo intento'], /no la sé|no lo sé/],
    ['a reply to a question is taken note of', ['¿qué tal?', 'la mayor vive en Bilbao'], /no tengo|no sé/],
  ])('knows that %s', (_, requests, unlike) => {
    const script = spanish('mira');
    const history: { request: string; answer: string }[] = [];
    for (const request of requests) {
      const said = { avatar: { _id: 'mira', name: 'Mira', greetingText: '' }, request, history: [...history] };
      history.push({ request, answer: replyTo(said, script, [], 0).answer });
    }
    expect(history.at(-1)?.answer).not.toMatch(unlike);
  });
});
