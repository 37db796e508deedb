import { filesFor, talk } from '../../test/scripts.js';
import { secondPerson } from './reflect.forms.js';
import type { ScriptFile } from '../format/script-file.js';
import { compileScript } from '../script/compile.js';

const FILE: ScriptFile = {
  rules: [{ id: 'tell_name', match: ['my name is {name}'], answers: ['Hello, {name}.'] }],
  fallback: ['?'],
  topics: ['one', 'two', 'three'],
  unknown: ['I do not know that.'],
  heard: ['I hear you.'],
};

const turned = (language: string, text: string) =>
  secondPerson(text, compileScript(FILE, filesFor(language)).conversation!.terms);
const answer = (language: string, text: string) => talk(FILE, language, [text])[0]!;

describe('a statement of the first person in the second', () => {
  it.each([
    ["I've lost my job", "you've lost your job"],
    ['my sister told me that I was right', 'your sister told you that you were right'],
    ['I was tired and was late, my boss was not', 'you were tired and were late, your boss was not'],
    ['we were in our garden, and she was too', 'you were in your garden, and she was too'],
    ['he likes fishing', undefined],
  ])('English: %s', (text, expected) => expect(turned('en', text)).toBe(expected));

  it.each([
    ['ich habe meinen Job verloren', 'du hast deinen Job verloren'],
    ['gestern war ich mit meiner Tochter im Zoo', 'gestern warst du mit deiner Tochter im Zoo'],
    ['ich finde es schade, dass ich so spät komme', 'du findest es schade, dass du so spät kommst'],
    ['ich bin müde und habe keine Lust', 'du bist müde und hast keine Lust'],
    ['ich arbeite viel, weil mir sonst langweilig wird', 'du arbeitest viel, weil dir sonst langweilig wird'],
    ['ich sammle Münzen und zeichne', 'du sammelst Münzen und zeichnest'],
    ['ich lese, esse und schlafe kaum', 'du liest, isst und schläfst kaum'],
    ['wir wollen kochen und essen', 'ihr wollt kochen und essen'],
    ['wir sind umgezogen und wohnen bei meinen Eltern', 'ihr seid umgezogen und wohnt bei deinen Eltern'],
    ['hab meinen Schlüssel verloren', 'du hast deinen Schlüssel verloren'],
    ['mir ist langweilig', 'dir ist langweilig'],
    ['ich gestern lange im Garten', undefined],
  ])('German: %s', (text, expected) => expect(turned('de', text)).toBe(expected));

  it.each([
    ['he perdido mi trabajo', 'has perdido tu trabajo'],
    ['me mudé a Valencia y no conozco a nadie', 'te mudaste a Valencia y no conoces a nadie'],
    ['llegué tarde y empecé a correr', 'llegaste tarde y empezaste a correr'],
    ['mañana iré al médico', 'mañana irás al médico'],
    ['mi trabajo me gusta, trabajo con mis hermanos', 'tu trabajo te gusta, trabajas con tus hermanos'],
    ['me pongo triste al acordarme', 'te pones triste al acordarte'],
    ['mi madre trabajaba en un banco', 'tu madre trabajaba en un banco'],
    ['cuando vivía con mi ex no dormía', undefined],
    ['nos hemos mudado', undefined],
    ['no escalo montañas con mi primo', undefined],
    ['me ayudas mucho con mi tarea', undefined],
  ])('Spanish: %s', (text, expected) => expect(turned('es', text)).toBe(expected));
});

describe('what nothing answers, but the user tells of themselves', () => {
  it('is taken up in their words, with a question or an invitation to tell more', () => {
    expect(answer('en', "Well, I've moved my desk to the window lol").answer).toMatch(
      /you've moved your desk to the window[.:]? /,
    );
    expect(answer('de', 'Also ich habe gestern meinen Schreibtisch umgestellt!').answer).toMatch(
      /: Du hast gestern deinen Schreibtisch umgestellt\. /,
    );
    expect(answer('es', 'Pues he movido mi mesa a la ventana').answer).toMatch(/has movido tu mesa a la ventana\. /);
  });

  it('is taken up behind a greeting by name', () => {
    expect(answer('en', "Hi, I'm Aisha, we moved to Leeds three weeks ago.").answer).toMatch(
      /Aisha\. So you moved to Leeds three weeks ago\./,
    );
  });

  it('is not called an answer', () => {
    expect(answer('en', 'I put my bike in the cellar')).toMatchObject({ id: 'reflection', isAnswered: false });
  });

  it.each([
    ['en', 'I put my bike in the cellar, does it rust?'],
    ['en', 'I want a bike with my own colours'],
    ['en', 'My bike is greener than yours'],
    ['en', 'I said my bike is green'],
    ['en', 'Bikes rust in cellars'],
    ['de', 'Ich möchte ein Fahrrad mit meinen Farben'],
    ['de', 'Mein Fahrrad ist grüner als deines'],
    ['de', 'ich frag mich wieso mein Fahrrad rostet'],
    ['es', 'Quiero una bici con mis colores'],
    ['es', 'Mi bici es más verde que la tuya, ¿no?'],
  ])('is not taken up where it asks, or is about the avatar (%s: %s)', (language, text) => {
    expect(answer(language, text).id).not.toBe('reflection');
  });
});
