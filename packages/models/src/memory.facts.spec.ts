import { hasSecret, memoriesIn, memoryPrompt, mayBeRemembered } from './memory.facts.js';

describe('memoriesIn', () => {
  it('reads facts, also within other words, and numbers of facts that exist', () => {
    expect(memoriesIn('Sure: {"memories":[{"text":" Likes  the sea. ","replaces":[1,9,"x"]}]} Done.', 2)).toEqual([
      { text: 'Likes the sea.', replaces: [1] },
    ]);
    expect(memoriesIn('{"memories":[{"text":"Is Ann."}]}', 0)).toEqual([{ text: 'Is Ann.', replaces: [] }]);
  });

  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  it.each<[string, number[][], number[][]]>([
    ['five, each once', [[5, 4, 3, 2, 1, 1]], [[1, 2, 3, 4, 5]]],
    ['none of a fact with more', [numbers(1, 100), [7]], [[], [7]]],
    ['none of a fact with more, even if few of them exist', [numbers(96, 200)], [[]]],
    ['five per turn', [[1, 2, 3], [3, 4], [5, 6], [7]], [[1, 2, 3], [3, 4], [], [7]]],
  ])('lets facts replace %s', (_, given, read) => {
    const memories = given.map((replaces) => ({ text: 'Likes tea.', replaces }));
    expect(memoriesIn(JSON.stringify({ memories }), 100).map(({ replaces }) => replaces)).toEqual(read);
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

it('finds secrets in the longest message', () => {
  expect(hasSecret('1 '.repeat(32_000))).toBe(false);
  expect(hasSecret(`${'2 '.repeat(300)}4111 1111 1111 1111`)).toBe(true);
});

describe('memoryPrompt', () => {
  const asked = (known: string[], all = false, tokens?: number, request = 'I am Ann') => {
    const { messages, shown } = memoryPrompt(request, known, all, tokens);
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    return { system: messages[0]!.content, user: messages[1]!.content, shown };
  };

  it('lists what is known by number, and leaves out health unless all is wanted', () => {
    const { system, user, shown } = asked(['Is Ann.', 'Likes tea.']);
    expect(system).toMatch(/health[^]*JSON only[^]*\n1\. Is Ann\.\n2\. Likes tea\.$/);
    expect([user, shown]).toEqual(['I am Ann', 2]);
    expect(asked([], true).system).not.toMatch(/health|Already/);
  });

  it.each([
    [undefined, 10, 20],
    [1000, 10, 6],
    [100_000, 10, 100],
    // The instruction and the message are whole, and the facts have what is left.
    [1000, 2400, 3],
    [1000, 8000, 0],
    [100, 10, 0],
  ])('of %j tokens, with a message of %i characters, shows the newest %i facts', (tokens, length, most) => {
    const [request, facts] = ['a'.repeat(length), Array.from({ length: 100 }, (_, n) => `${n} ${'x'.repeat(290)}`)];
    const { system, user, shown } = asked(facts, false, tokens, request);
    expect([user, shown]).toEqual([request, most]);
    expect(system).toMatch(/"memories": \[\]}\.(\n|$)/);
    const listed = system.split('Already noted:\n')[1]?.split('\n') ?? [];
    expect(listed).toEqual(facts.slice(0, most).map((fact, index) => `${index + 1}. ${fact}`));
  });
});
