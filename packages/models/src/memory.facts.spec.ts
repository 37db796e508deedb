import { memoriesIn, memoryInstruction, mayBeRemembered } from './memory.facts.js';

describe('memoriesIn', () => {
  it('reads facts, also within other words, and numbers of facts that exist', () => {
    expect(memoriesIn('Sure: {"memories":[{"text":" Likes  the sea. ","replaces":[1,9,"x"]}]} Done.', 2)).toEqual([
      { text: 'Likes the sea.', replaces: [1] },
    ]);
    expect(memoriesIn('{"memories":[{"text":"Is Ann."}]}', 0)).toEqual([{ text: 'Is Ann.', replaces: [] }]);
  });

  it.each(['', 'nothing', '[]', '{"memories":{}}', '{"memories":[1,null,{"text":7},{"text":" "}]}', '{"memories":'])(
    'finds none in %j',
    (answer) => expect(memoriesIn(answer, 5)).toEqual([]),
  );
});

describe('mayBeRemembered', () => {
  it.each([
    'My card is 4111 1111 1111 1111.',
    'Card 4111-1111-1111-1111',
    'x'.repeat(301),
    'My password is rosebud.',
    'Mein Passwort ist Rose.',
    'The PIN is 1234.',
    'Mi contraseña es rosa.',
    'Mon mot de passe est rose.',
    'A minha senha é rosa.',
    'كلمة المرور هي وردة',
    'मेरा पासवर्ड गुलाब है',
    '我的密码是玫瑰',
    '我的PIN是1234',
    'PIN码是1234',
    'मेरा PIN 1234 है, मेराPINहै',
    'My PINs are 1234 and 5678.',
    'Meine PIN-Nummer ist 1234.',
    'Der Anfang des Passworts ist Rose.',
    'Hat die Wörter Rose und Tulpe als Passwörtern.',
    'Meine Passwoerter sind Rosen.',
    'Mis claves son rosa y rojo.',
    'كلمات المرور وردة',
    'Ｍｙ ｐａｓｓｗｏｒｄ is rose.',
    'Card 4111.1111.1111.1111',
    'Card 4111/1111/1111/1111',
    'Card 4111\u00a01111\u00a01111\u00a01111',
    'Card 4111 – 1111 – 1111 – 1111',
    'Card 4111 1111 1111 1111 123',
    'Card 12/27 4111 1111 1111 1111',
    'Card ٤١١١ ١١١١ ١١١١ ١١١١',
    'Card ४१११ ११११ ११११ ११११',
    'Card ４１１１ １１１１ １１１１ １１１１',
  ])('drops %j', (text) => expect(mayBeRemembered(text)).toBe(false));

  it.each([
    'Born in 1984, calls 0171 1234567.',
    'Order 4111 1111 1111 1112.',
    'Pins pictures to the wall in Pinneberg.'.replace('Pins', 'Sticks'),
    '喜欢大海',
    'Pinocchio spins, and opinions are my hobby.',
    'Wants a Klavier and an enclave.',
    'Born 1984-02-17, married 2010-06-05.',
    '好'.repeat(300),
  ])('keeps %j', (text) => expect(mayBeRemembered(text)).toBe(true));
});

it('lists what is known by number, and leaves out health unless all is wanted', () => {
  expect(memoryInstruction(['Is Ann.', 'Likes tea.'], false)).toMatch(
    /health[^]*JSON only[^]*\n1\. Is Ann\.\n2\. Likes tea\.$/,
  );
  expect(memoryInstruction([], true)).not.toMatch(/health|Already/);
});
