import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, readScript } from '../../test/scripts.js';

const NOW = Date.UTC(2026, 4, 2, 10, 30);

/** The answers to some turns, with their ids. */
function talk(avatar: string, language: string, turns: readonly string[]) {
  const script = readScript(join(SHIPPED_SCRIPTS, avatar));
  const others = [...script].filter(([code]) => code !== language).map(([, other]) => other);
  const history: { request: string; answer: string }[] = [];
  return turns.map((request) => {
    const about = {
      avatar: { name: avatar },
      request,
      history: [...history],
    };
    const reply = replyTo(about, script.get(language)!, others, NOW);
    history.push({ request, answer: reply.answer });
    return reply;
  });
}

describe('what the user said before', () => {
  it.each([
    ['en', ['my sister Lena loves trains', 'what is my sister called'], 'Lena'],
    ['en', ['i moved to Leeds in March', 'where did i say i live?'], 'moved to Leeds'],
    ['en', ['my dog has a cold', "he's called Pepper, he's four", 'how old is my dog?'], 'four'],
    ['de', ['meine Tochter Emma ist sieben', 'wie alt ist meine Tochter'], 'ist sieben'],
    ['de', ['mein Bruder studiert Physik in Aachen', 'was studiert mein Bruder?'], 'Physik'],
    ['es', ['mi abuela cumple ochenta el domingo', '¿cuántos años cumple mi abuela?'], 'ochenta'],
    ['es', ['mañana tengo cita a las diez', '¿a qué hora es mi cita?'], 'a las diez'],
    ['de', ['mein mitbewohner Kevin putzt nie', 'wer putzt nie?'], 'Kevin'],
    ['es', ['yo soy de un pueblo de Teruel', '¿y de dónde era yo?'], 'Teruel'],
    ['en', ['my son Max is allergic to nuts, can he have pesto?', 'what was my son allergic to?'], 'nuts'],
    ['es', ['tengo una gata, Misi', '¿cómo se llama mi gata?'], 'Misi'],
  ])('is quoted in %s: %s', (language, turns, expected) => {
    expect(talk('mira', language, turns).at(-1)!.answer).toContain(expected);
  });

  it.each([
    ['en', 'when is my exam?'],
    ['de', 'wann ist meine Prüfung?'],
    ['es', '¿cuándo es mi examen?'],
  ])('is not denied in %s where nothing is found: %s', (language, question) => {
    const answer = talk('ada', language, ['i am here', question]).at(-1)!.answer;
    expect(answer).toMatch(/don't find|finde|no (lo )?encuentro/i);
    expect(answer).not.toMatch(/haven't told|noch nicht gesagt|no me has dicho/i);
  });
});

it('takes a question that names an ambulance for no emergency', () => {
  const ids = talk('ada', 'de', ['warum klingt ein Krankenwagen anders?', 'bitte ruf einen Krankenwagen']).map(
    ({ id }) => id,
  );
  expect(ids[0]).not.toBe('emergency');
  expect(ids[1]).toBe('emergency');
});

describe('what hangs on the last answer', () => {
  it.each([
    ['en', ['how far is the moon', 'can you say that in simpler words']],
    ['de', ['wie weit ist die Sonne', 'warum?']],
    ['es', ['cuál es el planeta más grande', '¿me lo explicas más sencillo?']],
  ])('is answered honestly in %s: %s', (language, turns) => {
    expect(talk('ada', language, turns).at(-1)!.isAnswered).toBe(false);
  });

  it.each([
    ['bruno', 'en', ['how do i cook lentils', 'do they need soaking?'], /soaking/],
    ['bruno', 'es', ['¿cómo se hace la paella?', '¿cuánto caldo por arroz?'], /caldo/],
    ['ada', 'de', ['was ist schall überhaupt', 'wie schnell ist der'], /340 Meter in der Sekunde/],
    ['ada', 'es', ['¿cuál es el animal más grande del mundo?', 'cuánto mide'], /treinta metros|30 metros/],
    ['ada', 'de', ['wieso funkeln sterne', 'und planeten nicht?'], /Planeten funkeln kaum/],
  ])('is answered by what goes with it: %s, %s, %s', (avatar, language, turns, expected) => {
    expect(talk(avatar, language, turns).at(-1)!.answer).toMatch(expected);
  });

  it('goes on with a recipe after a question in between', () => {
    const turns = ['how do i make an omelette', 'next', 'what is a blorf', 'next'];
    expect(talk('bruno', 'en', turns).at(-1)!.id).toBe('omelette');
  });

  it('takes the question with another thing', () => {
    expect(talk('ada', 'de', ['wie weit ist es bis zur Sonne', 'und bis zum nächsten Stern?'])[1]!.id).toBe(
      'nearest_star',
    );
  });
});

it.each([
  ['en', 'i want to die', 'my friend is here with me now'],
  ['de', 'ich will nicht mehr leben', 'meine Mitbewohnerin ist jetzt bei mir'],
  ['es', 'no quiero seguir viviendo', 'he llamado a mi madre y viene'],
])('stays with what was said after a crisis in %s', (language, crisis, contact) => {
  expect(talk('mira', language, [crisis, contact]).map(({ id }) => id)).toEqual(['crisis', 'after_contact']);
});

it.each([
  ['en', 'i want to die', 'i called my sister', 'i need an idea for a quiet evening'],
  [
    'de',
    'ich will nicht mehr leben',
    'ich habe meine schwester angerufen',
    'ich möchte wissen wie man besser einschläft',
  ],
  ['es', 'quiero morirme', 'he llamado a mi hermana', 'necesito una idea para una tarde tranquila'],
])('lets go in %s of who has told of help and wants something else', (language, crisis, contact, wish) => {
  const ids = talk('mira', language, [crisis, contact, wish]).map(({ id }) => id);
  expect(ids.slice(0, 2)).toEqual(['crisis', 'after_contact']);
  expect(ids[2]).not.toMatch(/^after_|^crisis/);
});

it('suggests nothing that the user does not eat', () => {
  const [, reply] = talk('bruno', 'en', ["i'm a vegetarian", 'any idea for something quick tonight']);
  expect(reply!.answer).not.toMatch(/chicken|bacon|tuna|ham\b/i);
});

it('takes a negated mood for what it is', () => {
  expect(talk('mira', 'en', ["i'm not sad, just exhausted"])[0]!.id).toBe('mood_exhaustion');
});

it('understands German that says Sie', () => {
  expect(['potato_gratin', 'dish.about']).toContain(
    talk('bruno', 'de', ['Hätten Sie ein Rezept für Kartoffelgratin?'])[0]!.id,
  );
  expect(talk('ada', 'de', ['Können Sie mir sagen, wie weit der Mond weg ist?'])[0]!.id).toBe('moon_distance');
});

it('says that it does not know a word that is none', () => {
  expect(talk('ada', 'en', ['blarg snorfel'])[0]!.answer).toMatch(/don't know that word/);
});

it.each([
  ['en', "i feel like there's no point to anything anymore"],
  ['de', 'manchmal denk ich es wär besser wenn ich nicht mehr da wär'],
  ['es', 'estarían mejor sin mí'],
])('hears despair in %s: %s', (language, text) => {
  expect(talk('mira', language, [text])[0]!.id).toBe('crisis');
});

describe.each([
  ['en', 'sometimes i wish i just wasnt here anymore', 'is there someone i can call at night', /116 123/],
  ['en', 'my kids would be better off without me', 'who can i call', /988/],
  [
    'de',
    'nachts denk ich es wär besser ich wär nicht mehr da',
    'gibt es jemand den ich nachts anrufen kann',
    /0800 111 0 111/,
  ],
  ['de', 'alle wären ohne mich besser dran', 'wo kann ich anrufen', /142/],
  ['es', 'a veces pienso que seria mejor desaparecer', 'a quien puedo llamar', /024/],
  ['es', 'ojalá no hubiera nacido', 'hay un telefono al que llamar', /024/],
])('in %s, who says "%s"', (language, despair, question, numbers) => {
  it('is met as one in despair, and told whom to call', () => {
    for (const avatar of ['ada', 'bruno', 'mira']) {
      const [met, told] = talk(avatar, language, [despair, question]);
      expect(met!.id).toBe('crisis');
      expect(told!.answer).toMatch(numbers);
    }
  });
});

it.each([
  ['bruno', 'en', "I'm Harold. My wife did all the cooking, and she passed away in March."],
  ['mira', 'de', 'Ich bin Jonas. Meine Frau ist im März gestorben.'],
  ['bruno', 'es', 'Me llamo Julián. Mi mujer murió en marzo.'],
  ['mira', 'es', 'Soy Raúl. Me despidieron la semana pasada.'],
])('%s in %s answers what is said behind a name: "%s"', (avatar, language, text) => {
  expect(talk(avatar, language, [text])[0]!.id).not.toBe('tell_name');
});
